import Foundation

/// A borrowed value of a column. A cell of a text or a blob points to bytes that it does not own.
///
/// A cell is sixteen bytes and owns no memory, so that passing a row between store and graph
/// allocates nothing. The type is `@usableFromInline`, because its `@inlinable` functions would
/// otherwise be called instead of inlined in other modules.
///
/// Creating a cell for bytes is unsafe: the compiler does not check that the bytes outlive each use
/// of the cell. The code that creates the cell guarantees this, so reading a cell is safe. The
/// bytes of a cursor's cell are valid until the cursor's next row. The bytes of a reader's cell are
/// valid until the reader's next call, and the bytes of an arena's cell until the arena's next
/// reset.
@usableFromInline
package struct ColumnCell {
  @usableFromInline
  package enum Form: UInt8, Sendable { case null, integer, real, text, blob }

  package let bits: UInt64
  package let count: Int32
  package let form: Form

  @usableFromInline
  @inline(__always)
  init(bits: UInt64, count: Int32 = 0, form: Form) {
    self.bits = bits
    self.count = count
    self.form = form
  }

  @inlinable
  package static var null: ColumnCell { ColumnCell(bits: 0, form: .null) }

  @inlinable
  @inline(__always)
  package static func integer(_ value: Int64) -> ColumnCell {
    ColumnCell(bits: UInt64(bitPattern: value), form: .integer)
  }

  @inlinable
  @inline(__always)
  package static func real(_ value: Double) -> ColumnCell {
    ColumnCell(bits: value.bitPattern, form: .real)
  }

  /// Returns a cell of UTF-8 text. The bytes must outlive the cell's use.
  @inlinable
  @inline(__always)
  package static func text(_ start: UnsafeRawPointer?, _ count: Int) -> ColumnCell {
    ColumnCell(bits: UInt64(UInt(bitPattern: start)), count: Int32(count), form: .text)
  }

  /// Returns a cell of a blob. The bytes must outlive the cell's use.
  @inlinable
  @inline(__always)
  package static func blob(_ start: UnsafeRawPointer?, _ count: Int) -> ColumnCell {
    ColumnCell(bits: UInt64(UInt(bitPattern: start)), count: Int32(count), form: .blob)
  }

  @inline(__always)
  package var integer: Int64 { Int64(bitPattern: bits) }

  @inline(__always)
  package var real: Double { Double(bitPattern: bits) }

  /// The bytes of a text or a blob. They are valid only as long as their owner keeps them.
  @inline(__always)
  package var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(
      start: UnsafeRawPointer(bitPattern: UInt(bits)), count: Int(count))
  }

  /// A copy of the value, with bytes of its own.
  package var stored: StoredValue {
    switch form {
    case .null: .null
    case .integer: .integer(integer)
    case .real: .real(real)
    case .text: .text(decoded)
    case .blob: .blob(unsafe Array(bytes))
    }
  }

  @inline(__always)
  private var decoded: String { unsafe String(decoding: bytes, as: UTF8.self) }
}

extension ColumnCell {
  /// The text of the cell; nil if the cell holds no text.
  @inline(__always)
  var text: String? { form == .text ? decoded : nil }

  /// A copy of the cell's blob; nil if the cell holds no blob.
  var data: Data? { form == .blob ? contents : nil }

  /// A copy of the bytes of a text or a blob.
  var contents: Data { unsafe Data(bytes) }

  /// The value as text for error messages.
  package var described: String {
    switch form {
    case .null: "null"
    case .integer: "the integer \(integer)"
    case .real: "the number \(real)"
    case .text: "the text \"\(unsafe String(decoding: bytes.prefix(80), as: UTF8.self))\""
    case .blob: count.of("byte")
    }
  }
}

/// Memory for the bytes of one statement's cells. All the bytes are released together.
///
/// The type is safe because ``copy(_:)`` ensures enough room before it copies. Also, no cell is
/// used after the arena's next reset or deinit.
@safe
package final class CellArena {
  private var chunk: UnsafeMutableRawPointer
  private var capacity: Int
  private var used = 0
  /// The chunks that are full. Exclusivity checking is off, because each read of a row resets the
  /// arena (`by id`). This is safe because no function calls other code while it changes the array.
  @exclusivity(unchecked) private var full: [UnsafeMutableRawPointer] = unsafe []

  package init(capacity: Int = 16_384) {
    unsafe chunk = .allocate(byteCount: capacity, alignment: 8)
    self.capacity = capacity
  }

  deinit {
    freeFull()
    unsafe chunk.deallocate()
  }

  /// Discards all copied bytes, so that their memory is used again. Cells of the discarded bytes
  /// must not be used any more.
  package func reset() {
    used = 0
    guard unsafe !full.isEmpty else { return }
    freeFull()
  }

  private func freeFull() {
    while let memory = unsafe full.popLast() { unsafe memory.deallocate() }
  }

  /// Returns the address of a copy of the bytes. The copy lives until the next reset.
  @inline(__always)
  package func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
    if used + bytes.count > capacity { grow(by: bytes.count) }
    let start = unsafe chunk + used
    if let source = bytes.baseAddress {
      unsafe start.copyMemory(from: source, byteCount: bytes.count)
    }
    used += bytes.count
    return UnsafeRawPointer(start)
  }

  /// Returns a cell of a copy of the text. The copy lives until the next reset.
  @inline(__always)
  func cell(of text: String) -> ColumnCell {
    var text = text
    return text.withUTF8 { unsafe .text(copy(UnsafeRawBufferPointer($0)), $0.count) }
  }

  /// Returns a cell of a copy of the bytes. The copy lives until the next reset.
  func cell(of bytes: some ContiguousBytes) -> ColumnCell {
    unsafe bytes.withUnsafeBytes { unsafe .blob(copy($0), $0.count) }
  }

  private func grow(by count: Int) {
    unsafe full.append(chunk)
    capacity = max(capacity * 2, count)
    unsafe chunk = .allocate(byteCount: capacity, alignment: 8)
    used = 0
  }
}

extension StoredValue {
  /// Returns a cell of the value. The arena owns the cell's bytes.
  package func cell(in arena: CellArena) -> ColumnCell {
    switch self {
    case .null: return .null
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .text(let text): return arena.cell(of: text)
    case .blob(let bytes): return arena.cell(of: bytes)
    }
  }
}
