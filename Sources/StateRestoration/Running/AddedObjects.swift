import ResponderChain

/// An object that is not a responder and is archived with the tree. Its record is below the record
/// of the ``parent``.
final class AddedObject {
  private(set) weak var object: (any StateRestoring)?
  let identifier: String
  private(set) weak var parent: Responder?
  let mark: Mark
  /// Whether a later call has added this object again, or another object under the same identifier
  /// and responder.
  fileprivate(set) var isReplaced = false
  /// The number of objects that were added before.
  fileprivate var serial = 0

  init(_ object: any StateRestoring, _ identifier: String, under parent: Responder) {
    self.object = object
    self.identifier = identifier
    self.parent = parent
    mark = Mark(identifier)
  }

  /// Whether the object and its responder still exist, and the object was not replaced.
  var isAlive: Bool { !isReplaced && object != nil && parent != nil }
}

/// All added objects. An entry can be looked up by the object, or by the responder above it.
final class AddedObjects {
  /// The objects below each responder, stored under their identifiers.
  private var lists: [ObjectIdentifier: [String: AddedObject]] = [:]
  private var owners: [ObjectIdentifier: AddedObject] = [:]
  private var count = 0
  /// The number of entries at which the next insertion first removes those of objects that no longer
  /// exist.
  private var sweepCount = 16

  /// Returns the entry of an added object; nil if the object was not added.
  func find(_ object: any StateRestoring) -> AddedObject? {
    let found = owners[ObjectIdentifier(object)]
    return found?.isAlive == true && found?.object === object ? found : nil
  }

  /// Returns the added object with the given identifier below a responder; nil if none.
  func find(_ identifier: String, under parent: Responder) -> AddedObject? {
    guard !lists.isEmpty, let found = lists[ObjectIdentifier(parent)]?[identifier],
      found.isAlive, found.parent === parent
    else { return nil }
    return found
  }

  /// Returns the objects below a responder, in the order in which they were added.
  func below(_ parent: Responder) -> [AddedObject] {
    guard !lists.isEmpty, let list = lists[ObjectIdentifier(parent)] else { return [] }
    return list.values.filter { $0.isAlive && $0.parent === parent }
      .sorted { $0.serial < $1.serial }
  }

  /// Returns an object that was added below a responder or its descendants; nil if none.
  func first(in responder: Responder) -> AddedObject? {
    if lists.isEmpty { return nil }
    return below(responder).first
      ?? responder.descendants.lazy.compactMap { self.below($0).first }.first
  }

  /// Adds an object. An object that was added before moves to the new identifier and parent.
  ///
  /// - Returns: the object that had the identifier below the parent until now; nil if there was
  ///   none.
  func insert(_ added: AddedObject) -> AddedObject? {
    guard let object = added.object, let parent = added.parent else { return nil }
    if owners.count >= sweepCount { sweep() }
    find(object)?.isReplaced = true
    let other = find(added.identifier, under: parent)
    other?.isReplaced = true
    count += 1
    added.serial = count
    owners[ObjectIdentifier(object)] = added
    lists[ObjectIdentifier(parent), default: [:]][added.identifier] = added
    return other
  }

  /// Removes the entries of objects that no longer exist or were replaced.
  private func sweep() {
    owners = owners.filter { $0.value.isAlive }
    lists = lists.mapValues { $0.filter { $0.value.isAlive } }.filter { !$0.value.isEmpty }
    sweepCount = max(16, owners.count * 2)
  }
}
