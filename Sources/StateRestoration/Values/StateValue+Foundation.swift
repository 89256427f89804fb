public import Foundation
import LineageFiles

extension Data: RestorableValue {
  /// Writes the bytes of the data.
  public func write(to writer: inout ValueWriter) {
    writer.write(.data)
    writer.bytes.append(length: count)
    writer.bytes.append(span)
  }

  /// Reads the bytes of data.
  public static func read(from reader: inout ValueReader) throws -> Data {
    try reader.expect(.data)
    return Data(try reader.data())
  }
}

extension Date: RestorableValue {
  /// Writes the date without rounding.
  public func write(to writer: inout ValueWriter) {
    writer.write(.date, timeIntervalSinceReferenceDate.bitPattern)
  }

  /// Reads a date.
  public static func read(from reader: inout ValueReader) throws -> Date {
    Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.fixed(.date)))
  }
}

extension UUID: RestorableValue {
  /// Writes the sixteen bytes of the UUID.
  public func write(to writer: inout ValueWriter) {
    // The casts are safe because both types have sixteen bytes, of any values.
    writer.write(.uuid, UInt128(littleEndian: unsafe unsafeBitCast(uuid, to: UInt128.self)))
  }

  /// Reads the sixteen bytes of a UUID.
  public static func read(from reader: inout ValueReader) throws -> UUID {
    let bits: UInt128 = try reader.fixed(.uuid)
    return UUID(uuid: unsafe unsafeBitCast(bits.littleEndian, to: uuid_t.self))
  }
}

extension URL: RestorableValue {
  /// Writes the absolute URL as a text. A relative URL is joined with its base.
  public func write(to writer: inout ValueWriter) { writer.write(.url, absoluteString) }

  /// Reads a URL.
  public static func read(from reader: inout ValueReader) throws -> URL {
    let text = try reader.text(.url)
    guard let url = URL(string: text) else { throw StateError(.refused(text, type: "URL")) }
    return url
  }
}

extension Decimal: RestorableValue {
  /// Writes the number as a text, without rounding.
  public func write(to writer: inout ValueWriter) { writer.write(.decimal, description) }

  /// Reads a number.
  public static func read(from reader: inout ValueReader) throws -> Decimal {
    let text = try reader.text(.decimal)
    if text == "NaN" { return .nan }
    // `Decimal(string:)` also accepts a text with other characters after the number.
    guard let number = Decimal(string: text), number.description == text else {
      throw StateError(.refused(text, type: "Decimal"))
    }
    return number
  }
}
