extension ObjectContext {
  /// Runs reads that finish even if their task is cancelled.
  func readingToEnd<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = family.terms.runsToEnd
    family.terms.runsToEnd = true
    defer { family.terms.runsToEnd = before }
    return try body()
  }

  /// Runs reads in one moment (read transaction). The store does not end the moment, even if
  /// another context needs its connection.
  func keepingMoment<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = family.terms.keepsMoment
    family.terms.keepsMoment = true
    defer { family.terms.keepsMoment = before }
    return try body()
  }
}
