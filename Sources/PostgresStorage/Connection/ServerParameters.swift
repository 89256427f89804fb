#if Postgres
import ObjectGraph

/// The values of a statement's parameters, as bytes for the server.
struct ServerParameters {
  /// The numbers of the parameters' types.
  private(set) var types: [UInt32] = []
  /// The bytes of all values.
  private var bytes: [UInt8] = []
  /// The places of the values in the bytes; nil for a null.
  private var places: [Range<Int>?] = []
  /// For each value, 1 if its bytes have the binary form of its type, 0 if they are a text of it.
  private(set) var formats: [Int32] = []

  var count: Int { types.count }
  /// The number of bytes of all values.
  var size: Int { bytes.count }

  /// Creates the parameters for values, each of which is sent in its own type.
  init(_ values: [StoredValue] = []) { for value in values { add(value) } }

  /// Creates the parameters for texts of which the server finds the type in the SQL.
  init(untyped texts: [String]) { for text in texts { addUntyped(text: text.utf8) } }

  /// Creates one parameter, which is an array of ids.
  init(ids: some Sequence<Int64>) {
    var list = ServerArray(.bigint)
    for id in ids { list.add(id) }
    add(list)
  }

  mutating func add(_ value: StoredValue) {
    switch value {
    case .null: add(nil, .text)
    case .integer(let integer): add(.bigint) { $0.append(bigEndian: integer) }
    case .real(let real):
      add(.float8) { $0.append(bigEndian: Int64(bitPattern: real.bitPattern)) }
    case .text(let text): add(.text) { $0.append(escaping: text.utf8) }
    case .blob(let blob): add(.bytea) { $0 += blob }
    }
  }

  /// Adds a cell, which must have the type or be null.
  mutating func add(_ cell: ColumnCell, as type: ServerType) {
    switch cell.form {
    case .null: add(nil, type)
    case .integer, .real: add(type) { $0.append(bigEndian: Int64(bitPattern: cell.bits)) }
    case .text: add(type) { unsafe $0.append(escaping: cell.bytes) }
    case .blob: add(type) { unsafe $0.append(contentsOf: cell.bytes) }
    }
  }

  /// Adds the elements as one parameter, which is an array.
  mutating func add(_ array: ServerArray) {
    let start = bytes.count
    array.append(to: &bytes)
    places.append(start..<bytes.count)
    types.append(array.type.arrayNumber)
    formats.append(1)
  }

  /// Adds a value as a text. The server finds the type in the SQL.
  mutating func addUntyped(_ value: StoredValue) {
    switch value {
    case .null: add(nil, nil)
    case .integer(let integer): addUntyped(text: "\(integer)".utf8)
    case .real(let real): addUntyped(text: "\(real)".utf8)
    case .text(let text): addUntyped(text: text.utf8)
    case .blob(let blob): addUntyped(text: "\\x\(blob.hex)".utf8)
    }
  }

  /// Adds the bytes of a text. The server finds the type in the SQL.
  mutating func addUntyped(text: some Collection<UInt8>) {
    add(nil) { $0.append(escaping: text) }
    // A text for libpq ends with a zero.
    bytes.append(0)
  }

  private mutating func add(_ place: Range<Int>?, _ type: ServerType?) {
    places.append(place)
    types.append(type?.rawValue ?? 0)
    formats.append(type == nil ? 0 : 1)
  }

  private mutating func add(_ type: ServerType?, _ append: (inout [UInt8]) -> Void) {
    let start = bytes.count
    append(&bytes)
    add(start..<bytes.count, type)
  }

  /// Calls a closure with a pointer to the bytes of each value and with their numbers, as libpq takes
  /// them.
  func lend<Result>(
    _ body: (
      _ values: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int32>?
    ) throws -> Result
  ) rethrows -> Result {
    let lengths = places.map { Int32($0?.count ?? 0) }
    return try unsafe bytes.withUnsafeBufferPointer { bytes in
      // An empty value is not null, so its pointer is not nil either.
      let start = unsafe UnsafeRawPointer(bytes.baseAddress) ?? UnsafeRawPointer(bitPattern: 8)
      let values = unsafe places.map { place in
        unsafe place.flatMap { unsafe start?.advanced(by: $0.lowerBound) }?
          .assumingMemoryBound(to: CChar.self)
      }
      return try unsafe values.withUnsafeBufferPointer { values in
        try unsafe lengths.withUnsafeBufferPointer { lengths in
          try unsafe body(values.baseAddress, lengths.baseAddress)
        }
      }
    }
  }
}

/// The values of one parameter that is an array, as bytes for the server.
struct ServerArray {
  /// The type in which the elements are sent.
  let type: ServerType
  private(set) var count = 0
  private var hasNull = false
  private var bytes: [UInt8] = []

  init(_ type: ServerType) { self.type = type }

  /// Creates the array of values of one kind, none of which is null.
  init(_ values: [StoredValue]) {
    self.init(ServerType(sending: values.first ?? .null))
    let arena = CellArena()
    for value in values {
      arena.reset()
      add(value.cell(in: arena))
    }
  }

  /// The number of bytes of all elements.
  var size: Int { bytes.count }

  /// Adds an element, which must have the array's type or be null.
  mutating func add(_ cell: ColumnCell) {
    count += 1
    switch cell.form {
    case .null:
      hasNull = true
      bytes.append(bigEndian: Int32(-1))
    case .integer, .real:
      bytes.append(bigEndian: Int32(8))
      bytes.append(bigEndian: Int64(bitPattern: cell.bits))
    case .blob: unsafe add(cell.bytes)
    case .text:
      if unsafe EscapedText.needsEscape(cell.bytes) {
        unsafe addEscaped(cell.bytes)
      } else {
        unsafe add(cell.bytes)
      }
    }
  }

  private mutating func add(_ content: UnsafeRawBufferPointer) {
    bytes.append(bigEndian: Int32(content.count))
    unsafe bytes.append(contentsOf: content)
  }

  private mutating func addEscaped(_ content: UnsafeRawBufferPointer) {
    let start = bytes.count
    bytes.append(bigEndian: Int32(0))
    unsafe bytes.append(escaping: content)
    let count = Int32(bytes.count - start - 4)
    for place in 0..<4 {
      bytes[start + place] = UInt8(truncatingIfNeeded: count >> (24 - 8 * place))
    }
  }

  mutating func add(_ id: Int64) { add(ColumnCell.integer(id)) }

  fileprivate func append(to all: inout [UInt8]) {
    all.append(bigEndian: Int32(count == 0 ? 0 : 1))
    all.append(bigEndian: Int32(hasNull ? 1 : 0))
    all.append(bigEndian: Int32(bitPattern: type.rawValue))
    guard count > 0 else { return }
    all.append(bigEndian: Int32(count))
    all.append(bigEndian: Int32(1))
    all += bytes
  }
}

extension [UInt8] {
  /// The bytes as hexadecimal digits.
  var hex: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }

  fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
    unsafe Swift.withUnsafeBytes(of: value.bigEndian) { unsafe append(contentsOf: $0) }
  }

  /// Adds the bytes of a text, with ``EscapedText`` for characters that the server cannot keep.
  fileprivate mutating func append(escaping text: some Collection<UInt8>) {
    guard text.contains(where: { $0 < 4 }) else { return self += text }
    for byte in text { if byte < 4 { self += EscapedText.escape(byte) } else { append(byte) } }
  }
}
#endif
