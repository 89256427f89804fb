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
  /// The objects below one responder.
  private struct ObjectList {
    var inOrder: [AddedObject] = []
    var names: [String: AddedObject] = [:]
  }

  private var lists: [ObjectIdentifier: ObjectList] = [:]
  private var owners: [ObjectIdentifier: AddedObject] = [:]
  /// The number of entries at which the next insertion first removes the entries of objects that no
  /// longer exist.
  private var sweepCount = 16

  /// Returns the entry of an added object; nil if the object was not added.
  func find(_ object: any StateRestoring) -> AddedObject? {
    guard let found = owners[ObjectIdentifier(object)], found.isAlive, found.object === object
    else { return nil }
    return found
  }

  /// Returns the added object with the given identifier below a responder; nil if there is none.
  func find(_ identifier: String, under parent: Responder) -> AddedObject? {
    guard !lists.isEmpty, let found = lists[ObjectIdentifier(parent)]?.names[identifier],
      found.isAlive, found.parent === parent
    else { return nil }
    return found
  }

  /// Returns the objects below a responder, in the order in which they were added.
  func below(_ parent: Responder) -> [AddedObject] {
    guard !lists.isEmpty, let list = lists[ObjectIdentifier(parent)] else { return [] }
    return list.inOrder.filter { $0.isAlive && $0.parent === parent }
  }

  /// Returns an object that was added below a responder or its descendants; nil if there is none.
  func first(in responder: Responder) -> AddedObject? {
    guard !lists.isEmpty else { return nil }
    if let added = below(responder).first { return added }
    return responder.descendants.lazy.compactMap { below($0).first }.first
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
    owners[ObjectIdentifier(object)] = added
    lists[ObjectIdentifier(parent), default: ObjectList()].names[added.identifier] = added
    lists[ObjectIdentifier(parent)]?.inOrder.append(added)
    return other
  }

  /// Removes the entries of objects that no longer exist or were replaced.
  private func sweep() {
    owners = owners.filter { $0.value.isAlive }
    lists = lists.compactMapValues { list in
      let inOrder = list.inOrder.filter(\.isAlive)
      if inOrder.isEmpty { return nil }
      return ObjectList(inOrder: inOrder, names: list.names.filter { $0.value.isAlive })
    }
    sweepCount = max(16, owners.count * 2)
  }
}
