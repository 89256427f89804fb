/// The rows of a list in their order. The ids are in an array of their own, so that a search for an
/// id reads no object (benchmark `list follow-up`).
struct ListRows<Value: Entity> {
  private(set) var objects: [Object<Value>] = []
  /// The ids of the objects, in the order of the rows.
  private(set) var keys: [Int64] = []
  private(set) var sections: ListSections

  /// Creates an empty list of rows. The sections must be empty as well.
  init(_ sections: ListSections) { self.sections = sections }

  var count: Int { keys.count }

  /// Replaces all rows. If the list has section keys, `sectionKeys` must have one element for each
  /// object.
  mutating func fill(_ objects: [Object<Value>], sectionKeys: [[StoredValue]]) {
    self.objects = objects
    keys = objects.map { $0.key }
    if sections.isSingle {
      sections.fill(count: objects.count)
    } else {
      sections.fill(sectionKeys)
    }
  }

  /// Returns the positions of the rows with the given ids, ascending.
  func positions(of wanted: Set<Int64>) -> [Int] {
    // Few ids are each found by a scan. For many ids, each row is looked up in the set instead.
    guard wanted.count > 8 else { return wanted.compactMap(keys.position).sorted() }
    return keys.indices.filter { wanted.contains(keys[$0]) }
  }

  mutating func apply(_ splice: ListSplice<Value>) {
    guard !changesNothing(splice) else { return }
    sections.change(
      removing: splice.removed.positions, inserting: splice.sectionKeys, count: splice.added.count)
    // Each removal and insertion of a single element moves the elements after it, so many changes
    // are made by one pass over the rows.
    if splice.removed.count + splice.added.count <= 64 {
      for position in splice.removed.positions.reversed() {
        objects.remove(at: position)
        keys.remove(at: position)
      }
      for (object, position) in zip(splice.added, splice.places.positions) {
        objects.insert(object, at: position)
        keys.insert(object.key, at: position)
      }
    } else {
      rebuild(splice)
    }
  }

  /// Returns whether the splice puts the removed objects back at their positions, in the same
  /// sections.
  private func changesNothing(_ splice: ListSplice<Value>) -> Bool {
    guard splice.removed.positions == splice.places.positions,
      zip(splice.removed.positions, splice.added).allSatisfy({ objects[$0] === $1 })
    else { return false }
    return sections.isSingle
      || zip(splice.removed.positions, splice.sectionKeys).allSatisfy {
        sections.order(sections.place(of: $0).key, $1) == 0
      }
  }

  /// Applies a splice by one pass over the rows from the first changed one on.
  private mutating func rebuild(_ splice: ListSplice<Value>) {
    let start = min(splice.removed.positions.first ?? count, splice.places.positions.first ?? count)
    // A slice would share the memory of all rows, which a change would then copy.
    let old = Array(objects[start...])
    objects.removeSubrange(start...)
    keys.removeSubrange(start...)
    var removed = splice.removed.positions[...]
    var added = zip(splice.places.positions, splice.added).map { $0 }[...]
    func addThoseThatAreDue() {
      while let next = added.first, next.0 == objects.count {
        objects.append(next.1)
        added.removeFirst()
      }
    }
    for (position, object) in zip(start..., old) {
      if removed.first == position {
        removed.removeFirst()
      } else {
        addThoseThatAreDue()
        objects.append(object)
      }
    }
    addThoseThatAreDue()
    keys += objects[start...].map { $0.key }
  }

  /// Returns whether `keys` has the ids of the objects, and the sections contain all rows in order.
  func checkInvariants() -> Bool {
    keys == objects.map(\.key) && sections.rowCount == count && sections.checkInvariants()
  }
}

extension [Int64] {
  /// Returns the position of an id; nil if the array does not contain it.
  ///
  /// - Complexity: O(*n*). Whole blocks of 64 ids are compared without a branch.
  func position(of key: Int64) -> Int? {
    let keys = span
    var start = 0
    while start + 64 <= keys.count {
      let block = keys.extracting(start..<start + 64)
      var isHere = false
      for index in block.indices { isHere = isHere != (block[index] == key) }
      if isHere { break }
      start += 64
    }
    return self[start...].firstIndex(of: key)
  }
}
