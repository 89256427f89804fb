extension ArchivedTree {
  /// Returns the paths of the records in the given places.
  ///
  /// - Complexity: O(*n*) for *n* records.
  func paths(of places: Set<StrikePlace>) -> [StrikePlace: [String]] {
    guard !items.isEmpty else { return [:] }
    var found: [StrikePlace: [String]] = places.contains(.application) ? [.application: []] : [:]
    var known = [StrikePlace](repeating: .none, count: items.count)
    known[0] = .application
    forEachFamily { parent, below in
      guard known[parent] != .none else { return }
      let headers = below.compactMap { index in
        reader(index).flatMap { try? RecordHeader($0) }.map { (index, $0) }
      }
      for ((index, header), ordinal) in zip(headers, headers.map(\.1).strikeOrdinals) {
        known[index] = known[parent].record(header.identifier, ordinal)
        if places.contains(known[index]) { found[known[index]] = path(of: index) }
      }
    }
    return found
  }

  /// Returns the identifiers on the way from the application to a record.
  private func path(of index: Int) -> [String] {
    var path: [String] = []
    var next = index
    while next > 0 {
      path.append(reader(next).flatMap { try? RecordHeader($0).identifier } ?? "?")
      next = Int(items[next].parent)
    }
    return path.reversed()
  }
}

extension Collection<RecordHeader> {
  /// The ordinals by which the places of sibling records with the same identifier are told apart.
  ///
  /// A record that was left out keeps its ordinal, so that the strikes of its place are its own. The
  /// others have the free ordinals in their order, those that have lost their place last.
  var strikeOrdinals: [Int] {
    var taken: [String: Set<Int>] = [:]
    for header in self {
      guard let ordinal = header.carry?.leftOutOrdinal else { continue }
      taken[header.identifier, default: []].insert(ordinal)
    }
    var counts: [String: Int] = [:]
    func next(_ identifier: String) -> Int {
      var ordinal = counts[identifier, default: 0]
      while taken[identifier]?.contains(ordinal) == true { ordinal += 1 }
      counts[identifier] = ordinal + 1
      return ordinal
    }
    var ordinals = map { $0.carry?.leftOutOrdinal ?? ($0.isDisplaced ? -1 : next($0.identifier)) }
    for (index, header) in enumerated() where ordinals[index] < 0 {
      ordinals[index] = next(header.identifier)
    }
    return ordinals
  }
}
