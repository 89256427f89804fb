extension ObjectContext {
  /// Reads what nobody may end, whatever becomes of the task.
  func readingToEnd<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = family.terms.runsToEnd
    family.terms.runsToEnd = true
    defer { family.terms.runsToEnd = before }
    return try body()
  }

  /// Keeps the moment of what is read, though another context may need its connection.
  func keepingMoment<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = family.terms.keepsMoment
    family.terms.keepsMoment = true
    defer { family.terms.keepsMoment = before }
    return try body()
  }
}
