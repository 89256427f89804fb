/// A loop that releases a tree of any depth, one responder after the other.
///
/// If a responder's deinit runs in this loop, the deinit adds the responders that this responder
/// owns to ``dying``. So their release is not nested on the stack.
final class Teardown {
  /// The responders that the loop has still to release; nil if no loop is running.
  private var dying: [Responder?]?
  /// The receiver of a notice about each responder in ``dying``, in the same order. The notice is
  /// sent only if the responder lives on.
  private var receivers: [(any OrphanReceiver)?] = []
  /// The receiver of a notice about the responder that the loop is releasing now; nil if there is
  /// none.
  private var receiver: (any OrphanReceiver)?

  private static let current = ThreadLocal { Teardown() }

  /// Releases the responders, and tells the receiver about each responder that lives on.
  ///
  /// If a loop is running already, it releases these responders later. In this case, if `receiver`
  /// is nil, the receiver for the responder that the loop is releasing now is told instead.
  static func release(_ owned: inout OwnedResponders, to receiver: (any OrphanReceiver)?) {
    current.with { $0.release(&owned, to: receiver) }
  }

  private func release(_ owned: inout OwnedResponders, to receiver: (any OrphanReceiver)?) {
    let count = owned.places.count
    // The responders are moved to `dying`, where the loop releases them one by one. The array
    // itself would release all its elements at once.
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
