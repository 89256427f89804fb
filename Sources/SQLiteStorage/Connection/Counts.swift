/// The numbers of a connection's operations, for tests.
package struct Counts: Sendable, Hashable {
  /// The number of statements prepared.
  package var prepared = 0
  /// The number of steps of statements, about one for each row.
  package var stepped = 0
  /// The number of steps of SQLite's virtual machine, by statements that were returned to the
  /// connection. Statements in use are not counted.
  package var machineSteps = 0
  /// The number of pages that were read because the connection's cache did not have them.
  package var pagesRead = 0

  package static func + (one: Counts, other: Counts) -> Counts {
    Counts(
      prepared: one.prepared + other.prepared, stepped: one.stepped + other.stepped,
      machineSteps: one.machineSteps + other.machineSteps,
      pagesRead: one.pagesRead + other.pagesRead)
  }

  package static func - (one: Counts, other: Counts) -> Counts {
    Counts(
      prepared: one.prepared - other.prepared, stepped: one.stepped - other.stepped,
      machineSteps: one.machineSteps - other.machineSteps,
      pagesRead: one.pagesRead - other.pagesRead)
  }
}
