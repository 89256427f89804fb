/// Memory for values that are decoded in place, one after another.
///
/// Not generic: the run time would look for its type at each row. Its maker names the type when the
/// memory is full, counts the values, and ends their life. This is safe because that is always the
/// type it was made for, and because there is room for one more than are counted, unless it is full.
@safe
struct GrowingMemory: ~Copyable {
  private let stride: Int
  private let valueAlignment: Int
  private var start: UnsafeMutableRawPointer
  private var capacity = 64
  /// Values that are there.
  var count = 0

  init<Value>(of _: Value.Type) {
    stride = MemoryLayout<Value>.stride
    valueAlignment = MemoryLayout<Value>.alignment
    unsafe start = .allocate(byteCount: capacity * stride, alignment: valueAlignment)
  }

  deinit { unsafe start.deallocate() }

  var isFull: Bool { count == capacity }

  /// Where the next value goes, unless the memory is full.
  var nextPlace: StructMemory { unsafe StructMemory(start + count * stride) }

  private func start<Value>(of _: Value.Type) -> UnsafeMutablePointer<Value> {
    unsafe start.assumingMemoryBound(to: Value.self)
  }

  /// Makes room for as many again.
  mutating func grow<Value>(moving type: Value.Type) {
    let larger = UnsafeMutableRawPointer.allocate(
      byteCount: capacity * 2 * stride, alignment: valueAlignment)
    unsafe larger.moveInitializeMemory(as: type, from: start(of: type), count: count)
    unsafe start.deallocate()
    unsafe start = larger
    capacity *= 2
  }

  /// Returns the values, which are then no longer here.
  mutating func takeAll<Value>(of type: Value.Type) -> [Value] {
    defer { count = 0 }
    return unsafe Array(unsafeUninitializedCapacity: count) { buffer, initialized in
      unsafe buffer.baseAddress?.moveInitialize(from: start(of: type), count: count)
      initialized = count
    }
  }

  /// Ends the life of the values.
  mutating func endAll<Value>(of type: Value.Type) {
    unsafe start(of: type).deinitialize(count: count)
    count = 0
  }
}

/// Memory for one value, which is decoded in place and then moved out.
///
/// This is safe because its owner names the type that it was made for, and takes a value only after
/// all of it was decoded; what is not taken is not there.
@safe
package struct ScratchMemory: ~Copyable {
  private let start: UnsafeMutableRawPointer

  package init<Value>(for _: Value.Type) {
    unsafe start = .allocate(
      byteCount: max(1, MemoryLayout<Value>.size), alignment: MemoryLayout<Value>.alignment)
  }

  deinit { unsafe start.deallocate() }

  /// Where the value is decoded.
  @inline(__always)
  package var memory: StructMemory { unsafe StructMemory(start) }

  /// Moves out the value that was decoded.
  @inline(__always)
  package func take<Value>(_: Value.Type) -> Value {
    unsafe start.assumingMemoryBound(to: Value.self).move()
  }
}
