extension ObjectContext {
  /// Runs a closure whose reads finish even if their task is cancelled.
  func readingToEnd<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = family.terms.runsToEnd
    family.terms.runsToEnd = true
    defer { family.terms.runsToEnd = before }
    return try body()
  }

  /// Runs a closure whose reads all see one moment (read transaction). The store does not end this
  /// moment between two reads, even if another reader needs the connection.
  func keepingMoment<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = family.terms.keepsMoment
    family.terms.keepsMoment = true
    defer { family.terms.keepsMoment = before }
    return try body()
  }
}
