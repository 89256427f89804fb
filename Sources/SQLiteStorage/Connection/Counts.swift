/// The work of a connection, counted for tests.
package struct Counts: Sendable, Hashable {
  package var prepared = 0
  package var stepped = 0
  /// Steps of SQLite's own machine, of the statements that were given back.
  package var machineSteps = 0
  /// Pages that were not in the connection's memory.
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
