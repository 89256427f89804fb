import Foundation

/// The key of a property: a pointer to a text and the text's length, in ten bytes.
///
/// The text is a string literal, which stays in memory as long as the program runs.
@safe
@usableFromInline
struct PropertyKey: Sendable {
  // The text is in constant memory, which nothing writes to.
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

  /// Calls a closure with the key as UTF-8.
  func withText<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    try unsafe body(bytes.span)
  }

  /// Returns whether the first key comes before the second key in a record.
  static func < (one: PropertyKey, other: PropertyKey) -> Bool {
    let order = unsafe memcmp(one.start, other.start, Int(min(one.count, other.count)))
    return order == 0 ? one.count < other.count : order < 0
  }

  /// Returns whether this key comes after another key in a record. The other key is given as UTF-8.
  func isAfter(_ other: ArraySlice<UInt8>) -> Bool { unsafe other.lexicographicallyPrecedes(bytes) }

  static func == (one: PropertyKey, other: PropertyKey) -> Bool {
    unsafe one.start == other.start && one.count == other.count
      || one.bytes.elementsEqual(other.bytes)
  }
}
