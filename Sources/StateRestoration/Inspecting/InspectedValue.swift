/// One value of a record, as bytes that are not decoded yet.
package struct InspectedValue {
  /// The positions of the key's bytes, counted from the archive's first byte.
  private let keyRange: Range<Int>
  /// The positions of the value's bytes, counted from the archive's first byte.
  package let range: Range<Int>
  private let bytes: [UInt8]

  init(key: Range<Int>, _ bytes: [UInt8], _ range: Range<Int>) {
    keyRange = key
    self.bytes = bytes
    self.range = range
  }

  /// The bytes of the value's key. Keys with different bytes may be equal as texts.
  package var keyBytes: ArraySlice<UInt8> { bytes[keyRange] }

  /// The value's key. Invalid UTF-8 in it is replaced.
  package var key: String { String(decoding: keyBytes, as: UTF8.self) }

  /// Whether the value's key is valid UTF-8.
  package var hasTextKey: Bool { bytes.text(keyRange) != nil }

  /// The value's bytes.
  package var content: ArraySlice<UInt8> { bytes[range] }

  /// Calls the closure with each part of the value, until the closure returns false.
  ///
  /// A container that is nested deeper than the given number of levels is passed as one part,
  /// ``ValueEvent/deep(_:)``.
  ///
  /// - Throws: ``StateError`` if the bytes are not a value.
  package func walk(nesting: Int, _ body: (ValueEvent) throws -> Bool) throws {
    var walk = ValueWalk(ValueReader(bytes, range), nesting: nesting)
    try walk.run(body)
  }

  /// The position at which the value is damaged, and the reason; nil if it can be read.
  package var damage: (position: Int, reason: String)? {
    var walk = ValueWalk(ValueReader(bytes, range), nesting: .max)
    do {
      try walk.run { _ in true }
      return nil
    } catch {
      return (min(walk.reader.position, range.upperBound), "\(error)")
    }
  }
}
