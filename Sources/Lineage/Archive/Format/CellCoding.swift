import LineageFiles
import ObjectGraph

// A value consists of a tag and the bytes that the tag requires. An integer has one, two, four or
// eight bytes, and a text or a blob begins with its length. So a value can be skipped without a
// schema.

private enum Tag {
  static let null: UInt8 = 0
  static let integer8: UInt8 = 1
  static let integer16: UInt8 = 2
  static let integer32: UInt8 = 3
  static let integer64: UInt8 = 4
  static let real: UInt8 = 5
  static let text: UInt8 = 6
  static let blob: UInt8 = 7
}

extension ByteBuffer {
  /// Appends a column's value.
  @inline(__always)
  mutating func append(_ cell: ColumnCell) {
    switch cell.form {
    case .null: append(Tag.null)
    case .integer: append(integer: cell.integer)
    case .real:
      append(Tag.real)
      append(cell.bits)
    case .text:
      append(Tag.text)
      appendBytes(of: cell)
    case .blob:
      append(Tag.blob)
      appendBytes(of: cell)
    }
  }

  @inline(__always)
  private mutating func appendBytes(of cell: ColumnCell) {
    cell.withBytes {
      append(length: $0.count)
      append($0)
    }
  }

  @inline(__always)
  private mutating func append(integer: Int64) {
    if let value = Int8(exactly: integer) {
      append(Tag.integer8)
      append(value)
    } else if let value = Int16(exactly: integer) {
      append(Tag.integer16)
      append(value)
    } else if let value = Int32(exactly: integer) {
      append(Tag.integer32)
      append(value)
    } else {
      append(Tag.integer64)
      append(integer)
    }
  }
}

extension ByteReader {
  /// Reads a column's value. The bytes of a text or a blob are not copied.
  @inline(__always)
  mutating func cell() throws -> ColumnCell {
    switch try integer(UInt8.self) {
    case Tag.null: return .null
    case Tag.integer8: return .integer(Int64(try integer(Int8.self)))
    case Tag.integer16: return .integer(Int64(try integer(Int16.self)))
    case Tag.integer32: return .integer(Int64(try integer(Int32.self)))
    case Tag.integer64: return .integer(try integer(Int64.self))
    case Tag.real: return .real(Double(bitPattern: try integer(UInt64.self)))
    case Tag.text: return try cell(ofText: true)
    case Tag.blob: return try cell(ofText: false)
    case let tag: throw GraphArchive.Damage("no value begins with \(tag)")
    }
  }

  /// Reads a text or a blob, which begins with its length. The cell refers to the reader's bytes.
  ///
  /// This is safe because the bytes stay in place as long as the reader. Each cell is decoded or
  /// copied before that ends.
  @inline(__always)
  private mutating func cell(ofText isText: Bool) throws -> ColumnCell {
    let count = try length()
    guard count <= Int(Int32.max), let start = try unsafe view(count).baseAddress else {
      throw GraphArchive.Damage("a value is too long")
    }
    return unsafe isText ? .text(start, count) : .blob(start, count)
  }
}
