/// The release of a tree, one responder after the other, however deep the tree is.
///
/// A responder that dies meanwhile hands its own here instead of releasing them further down the
/// stack.
final class Teardown {
  private var dying: [Responder?]?
  /// The receiver of each of them if it lives on, and that of the one that dies now.
  private var receivers: [(any OrphanReceiver)?] = []
  private var receiver: (any OrphanReceiver)?

  private static let current = ThreadLocal { Teardown() }

  /// Releases the responders, and tells the receiver, or that of their dying owner, of the ones
  /// that live on.
  static func release(_ owned: inout OwnedResponders, to receiver: (any OrphanReceiver)?) {
    current.with { $0.release(&owned, to: receiver) }
  }

  private func release(_ owned: inout OwnedResponders, to receiver: (any OrphanReceiver)?) {
    let count = owned.places.count
    // Taken out, because what is still in the caller's array cannot be released here.
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

/// The receiver of notices of responders that outlive their parents.
///
/// It is called in the parent's deinit, on any thread.
protocol OrphanReceiver: AnyObject, Sendable {
  func receive(orphan responder: Responder)
}
