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
    switch try reader.tag() {
    case .data: Data(try reader.data())
    case let other: throw reader.mismatch("Data", other)
    }
  }
}

extension Date: RestorableValue {
  /// Writes the date without rounding.
  public func write(to writer: inout ValueWriter) {
    writer.write(.date)
    writer.bytes.append(timeIntervalSinceReferenceDate.bitPattern)
  }

  /// Reads a date.
  public static func read(from reader: inout ValueReader) throws -> Date {
    switch try reader.tag() {
    case .date:
      Date(timeIntervalSinceReferenceDate: Double(bitPattern: try reader.fixed(UInt64.self)))
    case let other: throw reader.mismatch("Date", other)
    }
  }
}

extension UUID: RestorableValue {
  /// Writes the sixteen bytes of the UUID.
  public func write(to writer: inout ValueWriter) {
    writer.write(.uuid)
    let bytes = uuid
    for byte in [
      bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7, bytes.8, bytes.9,
      bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15,
    ] { writer.bytes.append(byte) }
  }

  /// Reads the sixteen bytes of a UUID.
  public static func read(from reader: inout ValueReader) throws -> UUID {
    let tag = try reader.tag()
    guard tag == .uuid else { throw reader.mismatch("UUID", tag) }
    func next() throws -> UInt8 { try reader.fixed(UInt8.self) }
    return UUID(
      uuid: (
        try next(), try next(), try next(), try next(), try next(), try next(), try next(),
        try next(), try next(), try next(), try next(), try next(), try next(), try next(),
        try next(), try next()
      ))
  }
}

extension URL: RestorableValue {
  /// Writes the absolute URL as a text. A relative URL is joined with its base.
  public func write(to writer: inout ValueWriter) {
    writer.write(.url)
    writer.bytes.append(absoluteString)
  }

  /// Reads a URL.
  public static func read(from reader: inout ValueReader) throws -> URL {
    let tag = try reader.tag()
    guard tag == .url else { throw reader.mismatch("URL", tag) }
    let text = try reader.text()
    guard let url = URL(string: text) else { throw StateError(.refused(text, type: "URL")) }
    return url
  }
}

extension Decimal: RestorableValue {
  /// Writes the number as a text, without rounding.
  public func write(to writer: inout ValueWriter) {
    writer.write(.decimal)
    writer.bytes.append(description)
  }

  /// Reads a number.
  public static func read(from reader: inout ValueReader) throws -> Decimal {
    let tag = try reader.tag()
    guard tag == .decimal else { throw reader.mismatch("Decimal", tag) }
    let text = try reader.text()
    if text == "NaN" { return .nan }
    // `Decimal(string:)` also accepts a text with other characters after the number.
    guard let number = Decimal(string: text), number.description == text else {
      throw StateError(.refused(text, type: "Decimal"))
    }
    return number
  }
}
