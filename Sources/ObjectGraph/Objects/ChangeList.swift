/// The objects of a context that may have unsaved changes, by the index of their entity. Every
/// object with unsaved changes is in the list.
struct ChangeList {
  /// The objects by the index of their entity, in the order in which they became changed.
  private(set) var lists: [[GraphObject]]

  /// The objects of all entities.
  var joined: FlattenSequence<[[GraphObject]]> { lists.joined() }

  /// Adds an object that is about to be changed, and that the list does not have.
  @inline(__always)
  mutating func append(_ object: GraphObject, of entity: Int) { lists[entity].append(object) }

  /// Removes all objects and returns them. They stay marked as listed until the caller has looked at
  /// them.
  mutating func takeAll() -> [[GraphObject]] {
    let taken = lists
    lists = Array(repeating: [], count: taken.count)
    return taken
  }

  /// Returns whether an object has unsaved changes. Removes the objects without changes that the
  /// search finds.
  mutating func hasUnsaved() -> Bool {
    for entity in lists.indices {
      // A new object that was deleted, or whose insertion was undone, stays listed until a save or
      // discard.
      var rest = lists[entity].count
      while rest > 0 {
        let object = lists[entity][rest - 1]
        if object.isUnsaved { return true }
        rest -= 1
        object.becomeCleanIfUnedited()
        guard object.phase == .clean else { continue }
        object.isListed = false
        lists[entity].swapAt(rest, lists[entity].count - 1)
        lists[entity].removeLast()
      }
    }
    return false
  }
}
