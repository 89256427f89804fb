/// What a connection did, counted for tests.
package struct Counts: Sendable, Hashable {
  package var prepared = 0
  package var stepped = 0
  /// Pages that were not in the connection's memory.
  package var pagesRead = 0

  package static func + (one: Counts, other: Counts) -> Counts {
    Counts(
      prepared: one.prepared + other.prepared, stepped: one.stepped + other.stepped,
      pagesRead: one.pagesRead + other.pagesRead)
  }

  package static func - (one: Counts, other: Counts) -> Counts {
    Counts(
      prepared: one.prepared - other.prepared, stepped: one.stepped - other.stepped,
      pagesRead: one.pagesRead - other.pagesRead)
  }
}
