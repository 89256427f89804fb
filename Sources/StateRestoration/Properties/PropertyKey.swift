/// The key of a property, in twelve bytes.
///
/// It refers to the text of a string literal, which stays where it is as long as the program runs.
@safe
@usableFromInline
struct PropertyKey: Sendable {
  private nonisolated(unsafe) let start: UnsafePointer<UInt8>
  private let count: UInt16

  @usableFromInline
  init(_ key: StaticString) {
    precondition(
      key.hasPointerRepresentation && key.utf8CodeUnitCount <= UInt16.max,
      "A restorable property needs a shorter key.")
    unsafe start = key.utf8Start
    count = UInt16(key.utf8CodeUnitCount)
  }

  private var bytes: UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(start: start, count: Int(count))
  }

  /// The key as a text.
  var name: String { unsafe String(decoding: bytes, as: UTF8.self) }

  /// Returns the property's entry among the values of a record; nil if there is none.
  func find(in values: inout RecordValues) throws -> RecordValues.Entry? {
    try unsafe values.find(bytes.span)
  }

  /// Returns the reader of the property's archived value; nil if there is none.
  func value(of mark: Mark, _ keeper: RecordKeeper, in scope: ValueScope) -> ValueReader? {
    unsafe keeper.value(bytes.span, of: mark, in: scope)
  }

  /// Returns whether two keys refer to the same literal, which is so in most cases of equal keys.
  static func === (one: PropertyKey, other: PropertyKey) -> Bool {
    unsafe one.start == other.start
  }
}
