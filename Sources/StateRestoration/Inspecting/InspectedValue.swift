/// One value of a record, as bytes that are not decoded yet.
package struct InspectedValue {
  /// The bytes of the value's key. Keys with different bytes may be equal as texts.
  package let keyBytes: ArraySlice<UInt8>
  private let reader: ValueReader
  private let path: (RecordID) -> [String]?

  init(
    _ bytes: [UInt8], key: Range<Int>, _ value: Range<Int>,
    path: @escaping (RecordID) -> [String]? = { _ in nil }
  ) {
    (keyBytes, reader, self.path) = (bytes[key], ValueReader(bytes, value), path)
  }

  /// The value's key. Invalid UTF-8 in it is replaced.
  package var key: String { String(decoding: keyBytes, as: UTF8.self) }

  /// Whether the value's key is valid UTF-8.
  package var hasTextKey: Bool { String(validating: keyBytes, as: UTF8.self) != nil }

  /// The value's bytes.
  package var content: ArraySlice<UInt8> { reader.bytes[reader.position..<reader.end] }

  /// Returns the value's text. Containers that are nested deeper are written as bytes.
  package func text(nesting: Int) -> ValueText { ValueText(reader, nesting: nesting, path: path) }

  /// The position at which the value is damaged, and the reason; nil if it can be read.
  package var damage: (position: Int, reason: String)? {
    var text = text(nesting: .max)
    do {
      while try text.next() != nil {}
      return nil
    } catch {
      return (min(text.reader.position, reader.end), "\(error)")
    }
  }
}
