import ObjectGraph

/// Bytes to write or to read, in memory that grows and is used again.
///
/// It is safe because all of its memory is initialised, each append makes room first, and nobody gets
/// more than the bytes that are there: for as long as a closure runs, during which the buffer cannot
/// be changed.
@safe
struct ByteBuffer: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int) {
    self.capacity = max(capacity, 16)
    unsafe start = Self.allocate(self.capacity)
  }

  deinit { unsafe start.deallocate() }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
    let start = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    unsafe start.initialize(repeating: 0, count: capacity)
    return unsafe start
  }

  /// Forgets the bytes, keeps the memory.
  mutating func clear() { count = 0 }

  /// Lends the bytes.
  func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    try unsafe body(UnsafeBufferPointer(start: start, count: count).span)
  }

  /// Lends the bytes to be read one thing after another; cells that are read point to them.
  func withReader<Result>(_ body: (inout ByteReader) throws -> Result) rethrows -> Result {
    var reader = unsafe ByteReader(UnsafeRawBufferPointer(start: start, count: count))
    return try body(&reader)
  }

  /// Puts bytes in place of those that were there: as many as the closure says that it has written, of
  /// those that were asked for.
  mutating func fill(
    _ wanted: Int, _ body: (inout MutableSpan<UInt8>) throws -> Int
  ) rethrows {
    count = 0
    makeRoom(for: wanted)
    var bytes = unsafe UnsafeMutableBufferPointer(start: start, count: wanted).mutableSpan
    let written = try body(&bytes)
    precondition((0...wanted).contains(written), "there is no room for so many bytes")
    count = written
  }

  @inline(__always)
  private mutating func makeRoom(for more: Int) {
    if count + more > capacity { grow(by: more) }
  }

  private mutating func grow(by more: Int) {
    let larger = max(capacity * 2, count + more)
    let moved = unsafe Self.allocate(larger)
    unsafe moved.update(from: start, count: count)
    unsafe start.deallocate()
    unsafe start = moved
    capacity = larger
  }

  /// An integer, the lowest byte first.
  @inline(__always)
  mutating func append<Value: FixedWidthInteger>(_ value: Value) {
    makeRoom(for: MemoryLayout<Value>.size)
    unsafe UnsafeMutableRawPointer(start + count).storeBytes(
      of: value.littleEndian, as: Value.self)
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
  mutating func append(_ bytes: Span<UInt8>) {
    makeRoom(for: bytes.count)
    unsafe bytes.withUnsafeBufferPointer {
      if let source = $0.baseAddress {
        unsafe (start + count).update(from: source, count: $0.count)
      }
    }
    count += bytes.count
  }

  /// A text's length and UTF-8.
  mutating func append(_ text: String) {
    text.withBytes {
      append(length: $0.count)
      append($0)
    }
  }
}
