/// Lends the memory of a value, and of its base if it has one, for as long as a closure runs.
///
/// Not generic, because it is called through a table of methods, where a generic method is never
/// specialised.
package protocol WriteSource: AnyObject {
  func lend(
    _ body: (_ value: StructMemory, _ base: StructMemory?) throws -> Void
  ) rethrows
}

extension WriteSource {
  /// The closure's result of the value.
  @inline(__always)
  package func withValue<Result>(_ body: (StructMemory) throws -> Result) rethrows -> Result {
    try borrowing { value, _ in try body(value) }
  }

  /// The closure's result of the base; what was not changed is its own base.
  @inline(__always)
  package func withBase<Result>(_ body: (StructMemory) throws -> Result) rethrows -> Result {
    try borrowing { value, base in try body(base ?? value) }
  }

  @inline(__always)
  func borrowing<Result>(
    _ body: (StructMemory, StructMemory?) throws -> Result
  ) rethrows -> Result {
    var result: Result?
    try lend { value, base in result = try body(value, base) }
    guard let result else { preconditionFailure("lend calls its closure once") }
    return result
  }
}
