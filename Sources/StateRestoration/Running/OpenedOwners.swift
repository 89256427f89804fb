import ResponderChain

/// The responders and objects that code of the app has attached or added during a restoration. They
/// get their records after the records of the archive have been decoded.
final class OpenedOwners {
  /// A responder or object that may have a carried record.
  enum OpenedOwner {
    case responder(Responder, Mark)
    case object(AddedObject)
  }

  private struct SiblingKey: Hashable {
    let parent: ObjectIdentifier
    let identifier: String
  }

  private var queue: [OpenedOwner] = []
  private var next = 0
  private var counts: [SiblingKey: Int] = [:]

  /// Adds a responder or object.
  func append(_ owner: OpenedOwner) {
    queue.append(owner)
    guard case .responder(let responder, let mark) = owner, let parent = responder.nextResponder
    else { return }
    let key = SiblingKey(parent: ObjectIdentifier(parent), identifier: mark.identifier)
    counts[key, default: 0] += 1
  }

  /// Returns whether code of the app has opened a responder with the given identifier below a
  /// parent. If so, the caller links no other responder with this identifier below this parent.
  ///
  /// Each opened responder counts for one record only. So the number of calls that return true is
  /// the number of opened responders with this identifier and parent.
  func take(_ identifier: String, below parent: Responder) -> Bool {
    guard !counts.isEmpty else { return false }
    let key = SiblingKey(parent: ObjectIdentifier(parent), identifier: identifier)
    guard let count = counts[key] else { return false }
    counts[key] = count > 1 ? count - 1 : nil
    return true
  }

  /// Removes and returns the responder or object that was opened first; nil if there is none.
  func popFirst() -> OpenedOwner? {
    guard next < queue.count else {
      removeAll()
      return nil
    }
    defer { next += 1 }
    return queue[next]
  }

  /// Removes all responders and objects.
  func removeAll() { (queue, next, counts) = ([], 0, [:]) }
}
