/// The permission to change objects, which all tables of a family (all contexts of one root) share.
///
/// It is an object of its own, so that tables retain neither a context nor the store.
final class EditPermit {
  /// Whether code is running that must only read.
  private(set) var isSuspended = false
  /// The code that must only read, as the begin of a sentence.
  private var reader = ""

  /// Runs a closure. Meanwhile, no object of the family may change.
  func suspended<Result>(_ reader: String, _ body: () throws -> Result) rethrows -> Result {
    let before = (isSuspended, self.reader)
    (isSuspended, self.reader) = (true, reader)
    defer { (isSuspended, self.reader) = before }
    return try body()
  }

  /// Throws an error if no object may change now.
  func check(_ attempted: @autoclosure () -> String) throws {
    if isSuspended { throw GraphError(attempted(), .mustOnlyRead(reader)) }
  }
}
