/// Bytes to write, in memory that grows and is used again.
///
/// It is sound because each append makes room first, and nobody keeps `bytes` beyond a closure.
struct ByteBuffer: ~Copyable {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = max(capacity, 16)
    start = .allocate(byteCount: self.capacity, alignment: 8)
  }

  deinit { start.deallocate() }

  /// Forgets the bytes, keeps the memory.
  mutating func clear() { count = 0 }

  /// Lends the bytes.
  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  @inline(__always)
  private mutating func makeRoom(for more: Int) {
    if count + more > capacity { grow(by: more) }
  }

  private mutating func grow(by more: Int) {
    let larger = max(capacity * 2, count + more)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
    moved.copyMemory(from: start, byteCount: count)
    start.deallocate()
    start = moved
    capacity = larger
  }

  /// An integer, the lowest byte first.
  @inline(__always)
  mutating func append<Value: FixedWidthInteger>(_ value: Value) {
    makeRoom(for: MemoryLayout<Value>.size)
    (start + count).storeBytes(of: value.littleEndian, as: Value.self)
    count += MemoryLayout<Value>.size
  }

  /// A length: seven bits a byte, the lowest first, the last byte's top bit is clear.
  @inline(__always)
  mutating func append(length: Int) {
    var rest = UInt64(length)
    while rest > 0x7F {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Bytes as they are.
  @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    makeRoom(for: bytes.count)
    if let source = bytes.baseAddress {
      (start + count).copyMemory(from: source, byteCount: bytes.count)
    }
    count += bytes.count
  }

  /// A text's length and UTF-8.
  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 {
      append(length: $0.count)
      append(UnsafeRawBufferPointer($0))
    }
  }
}
