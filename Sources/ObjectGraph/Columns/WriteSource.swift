/// An object that passes the memory of its value to closures. If the object was edited, it also
/// passes the memory of its base, which is the value without the edits.
///
/// `lend` is not generic, because a generic method of a generic class is never specialised when it
/// is called through a method table.
package protocol WriteSource: AnyObject {
  /// Calls the closure once, with the memory of the value and the memory of the base. If the object
  /// has no base, the second memory is nil.
  func lend(
    _ body: (_ value: StructMemory, _ base: StructMemory?) throws -> Void
  ) rethrows
}

extension WriteSource {
  /// Returns the result of a closure that is called with the value.
  @inline(__always)
  package func withValue<Result>(_ body: (StructMemory) throws -> Result) rethrows -> Result {
    try borrowing { value, _ in try body(value) }
  }

  /// Returns the result of a closure that is called with the base, or with the value if there is no
  /// base.
  @inline(__always)
  package func withBase<Result>(_ body: (StructMemory) throws -> Result) rethrows -> Result {
    try borrowing { value, base in try body(base ?? value) }
  }

  /// Returns the result of a closure that is called with the object's value, and with its base. The
  /// base is nil if the object has none.
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
