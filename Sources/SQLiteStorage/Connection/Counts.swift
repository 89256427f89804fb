/// The counts of the operations of one or more connections, for tests.
package struct Counts: Sendable, Hashable {
  /// The number of prepared statements.
  package var prepared = 0
  /// The number of steps of statements, about one for each row.
  package var stepped = 0
  /// The number of steps of SQLite's virtual machine. A statement's steps are added when the
  /// statement is given back to its connection.
  package var machineSteps = 0
  /// The number of pages that were read from the file because they were not in the connection's
  /// cache.
  package var pagesRead = 0
  /// The number of key texts that were made to order rows.
  package var keyTexts = 0

  package static func + (one: Counts, other: Counts) -> Counts {
    Counts(
      prepared: one.prepared + other.prepared, stepped: one.stepped + other.stepped,
      machineSteps: one.machineSteps + other.machineSteps,
      pagesRead: one.pagesRead + other.pagesRead, keyTexts: one.keyTexts + other.keyTexts)
  }
}
