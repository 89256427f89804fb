/// Bytes to write or to read, in memory that grows and is used again.
///
/// It is safe because all of its memory is initialised, each append makes room first, and nobody gets
/// more than the bytes that are there: for as long as a closure runs, during which the buffer cannot
/// be changed.
@safe
@usableFromInline
package struct ByteBuffer: ~Copyable {
  @usableFromInline var start: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  @usableFromInline package internal(set) var count = 0

  package init(capacity: Int) {
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
  @inlinable
  package mutating func clear() { count = 0 }

  /// Lends the bytes.
  package func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    try unsafe body(UnsafeBufferPointer(start: start, count: count).span)
  }

  /// Lends the bytes to be read one thing after another.
  package func withReader<Result>(_ body: (inout ByteReader) throws -> Result) rethrows -> Result {
    var reader = unsafe ByteReader(ByteView(UnsafeRawPointer(start), count))
    return try body(&reader)
  }

  /// Puts bytes in place of those that were there: as many as the closure says that it has written, of
  /// those that were asked for.
  package mutating func fill<Failure>(
    _ wanted: Int, _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Int
  ) throws(Failure) {
    count = 0
    makeRoom(for: wanted)
    var bytes = unsafe UnsafeMutableBufferPointer(start: start, count: wanted).mutableSpan
    let written = try body(&bytes)
    precondition((0...wanted).contains(written), "there is no room for so many bytes")
    count = written
  }

  @inlinable
  @inline(__always)
  mutating func makeRoom(for more: Int) {
    if count + more > capacity { grow(by: more) }
  }

  @usableFromInline
  mutating func grow(by more: Int) {
    let larger = max(capacity * 2, count + more)
    let moved = unsafe Self.allocate(larger)
    unsafe moved.update(from: start, count: count)
    unsafe start.deallocate()
    unsafe start = moved
    capacity = larger
  }

  /// Appends an integer, the lowest byte first.
  @inlinable
  @inline(__always)
  package mutating func append<Value: FixedWidthInteger>(_ value: Value) {
    makeRoom(for: MemoryLayout<Value>.size)
    unsafe UnsafeMutableRawPointer(start + count).storeBytes(
      of: value.littleEndian, as: Value.self)
    count += MemoryLayout<Value>.size
  }

  /// Appends a length: seven bits a byte, the lowest first, the last byte's top bit is clear.
  @inlinable
  @inline(__always)
  package mutating func append(length: Int) {
    var rest = UInt64(length)
    while rest > 0x7F {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Appends bytes as they are.
  @inlinable
  @inline(__always)
  package mutating func append(_ bytes: Span<UInt8>) {
    makeRoom(for: bytes.count)
    unsafe bytes.withUnsafeBufferPointer {
      if let source = $0.baseAddress {
        unsafe (start + count).update(from: source, count: $0.count)
      }
    }
    count += bytes.count
  }

  /// Appends a text's length and UTF-8.
  package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 {
      append(length: $0.count)
      unsafe append($0.span)
    }
  }
}

/// The bytes of a ``ByteBuffer``, or some of them, for as long as they are lent.
///
/// It is safe because only a buffer makes a view, of bytes that it keeps in place while they are lent,
/// and because each function looks at bytes of the view only. To use its pointer is unsafe.
@safe
@usableFromInline
package struct ByteView {
  @usableFromInline package let start: UnsafeRawPointer
  @usableFromInline package let count: Int

  @inlinable
  @inline(__always)
  init(_ start: UnsafeRawPointer, _ count: Int) {
    unsafe self.start = start
    self.count = count
  }

  /// Returns an integer at a place, the lowest byte first; nil if it is not all there.
  @inlinable
  @inline(__always)
  package func integer<Value: FixedWidthInteger>(_: Value.Type, at place: Int) -> Value? {
    guard place >= 0, MemoryLayout<Value>.size <= count - place else { return nil }
    return unsafe Value(littleEndian: start.loadUnaligned(fromByteOffset: place, as: Value.self))
  }

  /// Returns so many bytes from a place on; nil if they are not all there.
  @inlinable
  @inline(__always)
  package func part(_ length: Int, at place: Int) -> ByteView? {
    guard place >= 0, length >= 0, length <= count - place else { return nil }
    return unsafe ByteView(start + place, length)
  }

  private var buffer: UnsafeBufferPointer<UInt8> {
    unsafe UnsafeRawBufferPointer(start: start, count: count).assumingMemoryBound(to: UInt8.self)
  }

  /// A copy of the bytes.
  package var array: [UInt8] { unsafe Array(buffer) }

  /// The bytes as a text; what is no UTF-8 is replaced.
  package var text: String { unsafe String(decoding: buffer, as: UTF8.self) }
}
