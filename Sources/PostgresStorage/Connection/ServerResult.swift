#if Postgres
import CLineagePostgres
import Foundation
import ObjectGraph

/// The answer to one statement: its rows, or what it has done.
///
/// The type is safe because it alone frees the answer, and because each access is checked against the
/// number of rows and columns. The bytes of a cell are valid as long as the answer.
@safe
final class ServerResult {
  private let answer: OpaquePointer
  let rowCount: Int
  let columnCount: Int
  /// The numbers of the columns' types.
  private let types: [UInt32]
  /// The memory of values that are not in the answer as a cell has them; nil if there are none.
  private var arena: CellArena?

  init(_ answer: OpaquePointer) {
    unsafe self.answer = answer
    unsafe rowCount = Int(PQntuples(answer))
    let count = unsafe PQnfields(answer)
    columnCount = Int(count)
    types = (0..<count).map { unsafe PQftype(answer, $0) }
  }

  deinit { unsafe PQclear(answer) }

  /// The tag: the kind of statement, such as `COMMIT`, and the number of rows it has changed.
  var tag: String { unsafe PQcmdStatus(answer).map { unsafe String(cString: $0) } ?? "" }

  /// The number of rows that the statement has changed.
  var changes: Int { unsafe PQcmdTuples(answer).flatMap { unsafe Int(String(cString: $0)) } ?? 0 }

  /// The bytes of memory that the answer takes.
  var size: Int { unsafe Int(PQresultMemorySize(answer)) }

  /// The names of the columns.
  var columns: [String] {
    (0..<Int32(columnCount)).map { column in
      unsafe PQfname(answer, column).map { unsafe String(cString: $0) } ?? ""
    }
  }

  /// The first column of which no cell can be made; nil if there is none.
  var unreadableColumn: Int? { types.firstIndex { !Self.readable.contains($0) } }

  /// Discards the memory of the cells of earlier rows.
  func forgetCells() { arena?.reset() }

  /// Returns a cell. It is valid until ``forgetCells()`` is called.
  func cell(_ row: Int, _ column: Int) -> ColumnCell {
    precondition(
      row >= 0 && row < rowCount && column >= 0 && column < columnCount,
      "an answer lacks the cell")
    return checked(Int32(truncatingIfNeeded: row), column)
  }

  /// Loads the cells of a row, after its first one, which is the row's id. They are valid until
  /// ``forgetCells()`` is called.
  func load(_ row: Int, into cells: CellRow) {
    precondition(row >= 0 && row < rowCount, "an answer lacks the row")
    let row = Int32(truncatingIfNeeded: row)
    for column in 1..<columnCount { cells[column - 1] = checked(row, column) }
  }

  /// Returns a cell that is there. The common types come first, without a call for each cell (benchmark
  /// `fetch objects`).
  @inline(__always)
  private func checked(_ row: Int32, _ column: Int) -> ColumnCell {
    let place = Int32(truncatingIfNeeded: column)
    let count = unsafe Int(PQgetlength(answer, row, place))
    // The length of a null is zero, so most values need no further question.
    if count == 0, unsafe PQgetisnull(answer, row, place) != 0 { return .null }
    guard let start = unsafe PQgetvalue(answer, row, place) else { return .null }
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
    switch types[column] {
    case 20: return unsafe .integer(bytes.integer())
    case 25: return unsafe text(bytes)
    case 701: return unsafe .real(Double(bitPattern: UInt64(bitPattern: bytes.integer())))
    case let type: return unsafe cell(bytes, of: type)
    }
  }

  @inline(never)
  private func cell(_ bytes: UnsafeRawBufferPointer, of type: UInt32) -> ColumnCell {
    switch type {
    case 5069: return unsafe .integer(bytes.integer())
    case 1043, 1042, 19, 114: return unsafe text(bytes)
    case 16: return unsafe .integer(bytes.first == 0 ? 0 : 1)
    case 1700: return unsafe text(ServerNumeric.text(bytes))
    case 2950: return unsafe text(uuid(bytes))
    case 23, 26: return unsafe .integer(Int64(bytes.integer(as: Int32.self)))
    case 21: return unsafe .integer(Int64(bytes.integer(as: Int16.self)))
    case 700:
      let bits = unsafe UInt32(bitPattern: bytes.integer(as: Int32.self))
      return .real(Double(Float(bitPattern: bits)))
    default: return unsafe .blob(bytes.baseAddress, bytes.count)
    }
  }

  /// The numbers of the types of which cells can be made.
  private static let readable: Set<UInt32> = [
    16, 17, 19, 20, 21, 23, 25, 26, 114, 700, 701, 1042, 1043, 1700, 2950, 5069,
  ]

  private func text(_ bytes: UnsafeRawBufferPointer) -> ColumnCell {
    guard unsafe EscapedText.isEscaped(bytes) else {
      return unsafe .text(bytes.baseAddress, bytes.count)
    }
    return unsafe text(EscapedText.unescape(bytes))
  }

  private func text(_ bytes: [UInt8]) -> ColumnCell {
    let arena = arena ?? CellArena(capacity: 256)
    self.arena = arena
    return unsafe bytes.withUnsafeBytes { unsafe .text(arena.copy($0), $0.count) }
  }

  private func uuid(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    guard bytes.count == 16 else { return [] }
    return unsafe Array(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)).uuidString.utf8)
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the integer that the bytes are, the highest byte first. Missing bytes are zero.
  fileprivate func integer<Value: FixedWidthInteger>(as: Value.Type = Int64.self) -> Value {
    guard count >= MemoryLayout<Value>.size else { return 0 }
    return unsafe Value(bigEndian: loadUnaligned(as: Value.self))
  }
}

/// The binary form of a `numeric`: digits to the base 10,000.
enum ServerNumeric {
  /// Returns the canonical text of a number, or the server's word if it is none.
  static func text(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    guard bytes.count >= 8 else { return [] }
    func short(_ place: Int) -> Int {
      unsafe Int(Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: place * 2, as: Int16.self)))
    }
    let (count, weight) = (min(short(0), bytes.count / 2 - 4), short(1))
    switch UInt16(truncatingIfNeeded: short(2)) {
    case 0xC000: return Array("NaN".utf8)
    case 0xD000: return Array("Infinity".utf8)
    case 0xF000: return Array("-Infinity".utf8)
    default: break
    }
    func digits(_ index: Int) -> [UInt8] {
      let number = index >= 0 && index < count ? short(4 + index) : 0
      return [1000, 100, 10, 1].map { UInt8(ascii: "0") + UInt8(number / $0 % 10) }
    }
    var whole: [UInt8] = []
    if weight >= 0 { for index in 0...weight { whole += digits(index) } }
    whole = Array(whole.drop { $0 == UInt8(ascii: "0") })
    var fraction: [UInt8] = []
    // The group at `index` stands for 10,000 to the power `weight - index`.
    for index in (weight + 1)..<max(count, weight + 1) { fraction += digits(index) }
    while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
    let isNegative = short(2) == 0x4000 && !(whole.isEmpty && fraction.isEmpty)
    return (isNegative ? [UInt8(ascii: "-")] : []) + (whole.isEmpty ? [UInt8(ascii: "0")] : whole)
      + (fraction.isEmpty ? [] : [UInt8(ascii: ".")] + fraction)
  }
}
#endif
