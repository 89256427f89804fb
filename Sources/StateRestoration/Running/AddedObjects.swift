import ResponderChain

/// An object that is not a responder, with the responder below which its record is.
final class AddedObject {
  private(set) weak var object: (any StateRestoring)?
  let identifier: String
  private(set) weak var parent: Responder?
  let mark: Mark
  /// Whether another object was added with the same name, or the object was added again.
  fileprivate(set) var isReplaced = false

  init(_ object: any StateRestoring, _ identifier: String, under parent: Responder) {
    self.object = object
    self.identifier = identifier
    self.parent = parent
    mark = Mark(identifier)
  }

  /// Whether the object and its responder have not ended, and the object still has this name and
  /// place.
  var isAlive: Bool { !isReplaced && object != nil && parent != nil }
}

/// The added objects, found by themselves, by their marks, or by the responders above them.
struct AddedObjects {
  /// The objects below one responder.
  private struct ObjectList {
    var inOrder: [AddedObject] = []
    var names: [String: AddedObject] = [:]
  }

  private var lists: [ObjectIdentifier: ObjectList] = [:]
  private var owners: [ObjectIdentifier: AddedObject] = [:]
  private var marks: [ObjectIdentifier: AddedObject] = [:]
  /// The number of objects at which the next insertion removes those that have ended.
  private var sweepCount = 16

  /// Returns the name and place with which an object was added; nil if it was not added.
  func find(_ object: any StateRestoring) -> AddedObject? {
    guard let found = owners[ObjectIdentifier(object)], found.isAlive, found.object === object
    else { return nil }
    return found
  }

  /// Returns the object with a mark; nil if there is none.
  func find(_ mark: Mark) -> AddedObject? {
    guard let found = marks[ObjectIdentifier(mark)], found.isAlive else { return nil }
    return found
  }

  /// Returns the object with a name below a responder; nil if there is none.
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

  /// Adds an object. If it was added before, it loses its earlier name and place.
  ///
  /// - Returns: the object that had the name until now; nil if there was none.
  mutating func insert(_ added: AddedObject) -> AddedObject? {
    guard let object = added.object, let parent = added.parent else { return nil }
    if owners.count >= sweepCount { sweep() }
    find(object)?.isReplaced = true
    let other = find(added.identifier, under: parent)
    other?.isReplaced = true
    owners[ObjectIdentifier(object)] = added
    marks[ObjectIdentifier(added.mark)] = added
    lists[ObjectIdentifier(parent), default: ObjectList()].names[added.identifier] = added
    lists[ObjectIdentifier(parent)]?.inOrder.append(added)
    return other
  }

  /// Removes the objects that have ended.
  private mutating func sweep() {
    owners = owners.filter { $0.value.isAlive }
    marks = marks.filter { $0.value.isAlive }
    lists = lists.compactMapValues { list in
      let inOrder = list.inOrder.filter(\.isAlive)
      if inOrder.isEmpty { return nil }
      return ObjectList(inOrder: inOrder, names: list.names.filter { $0.value.isAlive })
    }
    sweepCount = max(16, owners.count * 2)
  }
}
