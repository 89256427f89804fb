extension ArchiveLog {
  /// Whether at least one item of the base does not match its checksum. The base is the first save
  /// in the archive.
  var isBaseDamaged: Bool { changedItems > 0 }

  /// The number of records that a launch can reach from the application by the lists of records.
  ///
  /// - Complexity: O(*n*) for *n* records.
  var reachableCount: Int {
    var isReached = [Bool](repeating: false, count: max(records.count, 1))
    isReached[0] = true
    var next: [UInt32] = [0]
    var count = 0
    while let id = next.popLast() {
      let isRecord = records.indices.contains(Int(id)) && records[Int(id)].count > 0
      // The records below the application are reached even if its own record is missing.
      guard isRecord || id == 0 else { continue }
      if isRecord { count += 1 }
      for child in (try? childIDs(of: id)) ?? []
      where isReached.indices.contains(Int(child)) && !isReached[Int(child)] {
        isReached[Int(child)] = true
        next.append(child)
      }
    }
    return count
  }
}
