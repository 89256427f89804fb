extension ObjectContext {
  /// Whether rows that are loaded elsewhere for a list of this family have arrived.
  package var hasLoadedRows: Bool { family.loadings.hasSlice }

  /// The loading of lists in the contexts of this root that is under way, in words.
  package var loadingLists: [String] {
    family.loadings.underWay.map { "the loading of a list of \($0.entityName)" }
  }

  /// Takes in, for one list, at most `limit` rows that were loaded elsewhere. Returns false if none
  /// have arrived.
  ///
  /// A mailbox takes slices of at most 200 rows, each in a turn of its own.
  @discardableResult
  package func takeLoadedRows(upTo limit: Int) -> Bool {
    guard let list = family.loadings.next() else { return false }
    // The slice is judged in a moment that is younger than the reader's.
    session.endMoment()
    family.operation.run { list.takeSlice(upTo: limit) }
    return true
  }
}
