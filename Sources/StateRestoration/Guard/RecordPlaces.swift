extension ArchivedTree {
  /// Returns the paths of the records in the given places.
  ///
  /// - Complexity: O(*n*) for *n* records.
  func paths(of places: Set<StrikePlace>) -> [StrikePlace: [String]] {
    var found: [StrikePlace: [String]] = [:]
    for index in items.indices where !places.isEmpty {
      let place = index == 0 ? .application : StrikePlace(header(index)?.id ?? .none)
      if places.contains(place) { found[place] = path(of: index) }
    }
    return found
  }

  /// Returns the identifiers on the way from the application to a record.
  private func path(of index: Int) -> [String] {
    var path: [String] = []
    var next = index
    while next > 0 {
      path.append(header(next)?.identifier ?? "?")
      next = Int(items[next].parent)
    }
    return path.reversed()
  }
}
