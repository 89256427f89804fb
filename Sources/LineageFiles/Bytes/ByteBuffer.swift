/// A buffer of bytes to write or read. Its memory grows when necessary, and is kept for further
/// use.
///
/// The type is safe because all of its memory is initialised, and because each append first makes
/// room. A closure gets access only to the buffer's own bytes, and only during its call. The buffer
/// cannot be changed during the call.
///
/// The type is `@usableFromInline` so that its functions can be inlined into other modules. The
/// compiler does not inline `@inlinable` functions of a type without this attribute there.
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

  /// Removes all bytes. The memory is kept for later bytes.
  @inlinable
  package mutating func clear() { count = 0 }

  /// The byte at a position.
  @inlinable
  package subscript(place: Int) -> UInt8 {
    precondition((0..<count).contains(place), "no such byte")
    return unsafe start[place]
  }

  /// Returns whether the bytes in two ranges are equal.
  package func isEqual(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { self[$0] == self[$1] }
  }

  /// Returns a number that is computed from a range's length and its first eight bytes. Ranges with
  /// equal bytes have equal numbers. Ranges with different bytes seldom have equal numbers.
  @inlinable @inline(__always)
  package func sum(of range: Range<Int>) -> UInt64 {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "no such bytes")
    // The eight loaded bytes may include bytes after the range. They are initialised, because there
    // is always room for eight more bytes, and are removed from the sum.
    var sum = unsafe UnsafeRawPointer(start + range.lowerBound).loadUnaligned(as: UInt64.self)
      .littleEndian
    if range.count < 8 { sum &= 1 << UInt64(8 * range.count) - 1 }
    return sum ^ UInt64(range.count) << 56
  }

  /// Returns a copy of the bytes from a position on.
  package func bytes(from place: Int) -> [UInt8] {
    precondition((0...count).contains(place), "no such byte")
    return unsafe Array(UnsafeBufferPointer(start: start + place, count: count - place))
  }

  /// Calls a closure with the bytes.
  package func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    try unsafe body(UnsafeBufferPointer(start: start, count: count).span)
  }

  /// Calls a closure with a reader that begins at the first byte.
  package func withReader<Result>(_ body: (inout ByteReader) throws -> Result) rethrows -> Result {
    var reader = unsafe ByteReader(UnsafeRawBufferPointer(start: start, count: count))
    return try body(&reader)
  }

  @inlinable @inline(__always)
  mutating func makeRoom(for more: Int) {
    if count + more + 8 > capacity { grow(by: more) }
  }

  @usableFromInline
  mutating func grow(by more: Int) {
    let larger = max(capacity * 2, count + more + 8)
    let moved = unsafe Self.allocate(larger)
    unsafe moved.update(from: start, count: count)
    unsafe start.deallocate()
    unsafe start = moved
    capacity = larger
  }

  /// Appends an integer, lowest byte first.
  @inlinable @inline(__always)
  package mutating func append<Value: FixedWidthInteger>(_ value: Value) {
    makeRoom(for: MemoryLayout<Value>.size)
    unsafe UnsafeMutableRawPointer(start + count).storeBytes(
      of: value.littleEndian, as: Value.self)
    count += MemoryLayout<Value>.size
  }

  /// Appends a length with seven bits in each byte, lowest bits first. The top bit is set in all
  /// bytes except the last.
  @inlinable @inline(__always)
  package mutating func append(length: Int) { append(varint: UInt64(length)) }

  /// Appends an integer in the encoding of ``append(length:)``. It takes at most ten bytes.
  @inlinable @inline(__always)
  package mutating func append(varint value: UInt64) {
    var rest = value
    while rest > 0x7F {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Replaces the bytes at a position with those of an integer, lowest byte first.
  @inlinable @inline(__always)
  package mutating func overwrite<Value: FixedWidthInteger>(_ value: Value, at place: Int) {
    precondition(place >= 0 && MemoryLayout<Value>.size <= count - place, "no such bytes")
    unsafe UnsafeMutableRawPointer(start + place).storeBytes(
      of: value.littleEndian, as: Value.self)
  }

  /// Removes all bytes except the first `newCount`. The memory is kept.
  @inlinable
  package mutating func truncate(to newCount: Int) {
    precondition((0...count).contains(newCount), "there are fewer bytes")
    count = newCount
  }

  /// Appends bytes as they are.
  @inlinable @inline(__always)
  package mutating func append(_ bytes: Span<UInt8>) {
    makeRoom(for: bytes.count)
    unsafe bytes.withUnsafeBufferPointer {
      if let source = $0.baseAddress {
        unsafe (start + count).update(from: source, count: $0.count)
      }
    }
    count += bytes.count
  }

  /// Appends the number of bytes that a text has in UTF-8, and then these bytes.
  package mutating func append(_ text: String) {
    // A copy of the text would count references. Only a text that is not stored as UTF-8 is copied.
    let isDone: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
      unsafe append(counted: $0.span)
    }
    guard isDone == nil else { return }
    var copy = text
    copy.withUTF8 { unsafe append(counted: $0.span) }
  }

  /// Appends the number of bytes, and the bytes.
  @inline(__always)
  private mutating func append(counted bytes: Span<UInt8>) {
    append(length: bytes.count)
    append(bytes)
  }
}
