import ResponderChain

/// A responder that code of the app has attached, or an object that it has added. It may have a
/// carried record.
struct OpenedOwner {
  /// The responder, or the one below which the object was added.
  let responder: Responder
  let object: AddedObject?
  let mark: Mark

  /// The responder below whose record the record is.
  var parent: Responder? { object == nil ? responder.nextResponder : responder }

  /// Whether the responder still has its mark, or the object is still added.
  var isAlive: Bool { object?.isAlive ?? (responder.mark === mark) }
}

/// The responders and objects that code of the app has attached or added during a restoration. They
/// get their records after those of the archive.
final class OpenedOwners {
  private var queue: [OpenedOwner] = []
  private var next = 0
  /// The numbers of opened responders, stored under their parents and identifiers.
  private var counts: [ObjectIdentifier: [String: Int]] = [:]

  /// Adds a responder or object.
  func append(_ owner: OpenedOwner) {
    queue.append(owner)
    guard owner.object == nil, let parent = owner.parent else { return }
    counts[ObjectIdentifier(parent), default: [:]][owner.mark.identifier, default: 0] += 1
  }

  /// Returns whether code of the app has opened a responder with the given identifier below a
  /// parent, which no call has returned yet. If so, the caller links no other one there.
  func take(_ identifier: String, below parent: Responder) -> Bool {
    guard !counts.isEmpty, let count = counts[ObjectIdentifier(parent)]?[identifier], count > 0
    else { return false }
    counts[ObjectIdentifier(parent)]?[identifier] = count - 1
    return true
  }

  /// Removes and returns the responder or object that was opened first; nil if none.
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
