/// The rows of a list in their order, with their ids beside them for fast search.
struct ListRows<Value: Entity> {
  private(set) var objects: [Object<Value>] = []
  /// The ids of the objects.
  private(set) var keys: [Int64] = []
  private(set) var sections: ListSections

  /// No rows yet.
  init(_ sections: ListSections) { self.sections = sections }

  var count: Int { objects.count }

  /// Rows in place of all others; `sectionKeys` has one for each, if there are sections.
  mutating func fill(_ objects: [Object<Value>], sectionKeys: [[StoredValue]]) {
    self.objects = objects
    keys = objects.map(\.key)
    if sections.isSingle {
      sections.fill(count: objects.count)
    } else {
      sections.fill(sectionKeys)
    }
  }

  /// Where the rows with some ids are, ascending.
  func positions(of wanted: Set<Int64>) -> [Int] {
    // A scan for one id costs less than looking up each row's.
    guard wanted.count > 8 else { return wanted.compactMap(keys.position).sorted() }
    return keys.indices.filter { wanted.contains(keys[$0]) }
  }

  mutating func apply(_ splice: ListSplice<Value>) {
    guard !changesNothing(splice) else { return }
    sections.change(
      removing: splice.removed.positions, inserting: splice.sectionKeys, count: splice.added.count)
    // Moving pointers in memory is cheap, but not any number of times.
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

  /// Whether the splice puts the same objects back where they were, in the same sections.
  private func changesNothing(_ splice: ListSplice<Value>) -> Bool {
    guard splice.removed.positions == splice.places.positions,
      zip(splice.removed.positions, splice.added).allSatisfy({ objects[$0] === $1 })
    else { return false }
    return sections.isSingle
      || zip(splice.removed.positions, splice.sectionKeys).allSatisfy {
        sections.order(sections.place(of: $0).key, $1) == 0
      }
  }

  private mutating func rebuild(_ splice: ListSplice<Value>) {
    var rebuilt: [Object<Value>] = []
    rebuilt.reserveCapacity(count - splice.removed.count + splice.added.count)
    var removed = splice.removed.positions[...]
    var added = zip(splice.places.positions, splice.added).map { $0 }[...]
    func addThoseThatAreDue() {
      while let next = added.first, next.0 == rebuilt.count {
        rebuilt.append(next.1)
        added.removeFirst()
      }
    }
    for (position, object) in objects.enumerated() {
      if removed.first == position {
        removed.removeFirst()
      } else {
        addThoseThatAreDue()
        rebuilt.append(object)
      }
    }
    addThoseThatAreDue()
    objects = rebuilt
    keys = rebuilt.map(\.key)
  }

  /// The law: ids are the objects', sections cover all rows in ascending order.
  func checkInvariants() -> Bool {
    keys == objects.map(\.key) && sections.rowCount == count && sections.checkInvariants()
  }
}

extension [Int64] {
  /// Where an id is.
  ///
  /// - Complexity: O(*n*), but whole blocks are compared without a branch.
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
