/// The release of a tree of any depth, one responder after the other.
///
/// A responder whose deinit runs during a release adds the responders it owns to the list here. So
/// their release is not nested on the stack.
final class Teardown {
  /// The responders that are still to be released; nil if no release is under way.
  private var dying: [Responder?]?
  /// The receivers of the notices about responders in ``dying`` that live on, in the same order.
  private var receivers: [(any OrphanReceiver)?] = []
  /// The receiver of the notice about the responder that is being released.
  private var receiver: (any OrphanReceiver)?

  private static let current = ThreadLocal { Teardown() }

  /// Releases the responders, and tells the receiver about each one that lives on.
  ///
  /// If `receiver` is nil, the receiver for the responder that is being released is told.
  static func release(_ owned: inout OwnedResponders, to receiver: (any OrphanReceiver)?) {
    current.with { $0.release(&owned, to: receiver) }
  }

  private func release(_ owned: inout OwnedResponders, to receiver: (any OrphanReceiver)?) {
    let count = owned.places.count
    // The responders move to the list here, because an array cannot release its elements one by
    // one.
    guard dying == nil else {
      receivers.append(contentsOf: repeatElement(receiver ?? self.receiver, count: count))
      dying?.append(contentsOf: owned.places)
      owned = OwnedResponders()
      return
    }
    receivers = Array(repeating: receiver, count: count)
    dying = owned.places
    owned = OwnedResponders()
    while var responder = dying?.popLast() {
      self.receiver = receivers.popLast() ?? nil
      if !isKnownUniquelyReferenced(&responder), let responder {
        self.receiver?.receive(orphan: responder)
      }
    }
    dying = nil
    self.receiver = nil
  }
}

/// The receiver of notices about responders that outlive their parents.
///
/// It is called in the parent's deinit, on any thread.
protocol OrphanReceiver: AnyObject, Sendable {
  func receive(orphan responder: Responder)
}
