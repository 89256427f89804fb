/// Memory for values that are decoded in place, one after another.
///
/// The type is not generic, because the runtime would look up a generic type for each row. Instead,
/// the owner passes the type of the values to the functions. This is safe because the owner always
/// passes the type for which the memory was made, and decodes the next value only while the memory
/// is not full.
@safe
struct GrowingMemory: ~Copyable {
  private let stride: Int
  private let valueAlignment: Int
  private var start: UnsafeMutableRawPointer
  private var capacity = 64
  /// The number of initialised values.
  var count = 0

  init<Value>(of _: Value.Type) {
    stride = MemoryLayout<Value>.stride
    valueAlignment = MemoryLayout<Value>.alignment
    unsafe start = .allocate(byteCount: capacity * stride, alignment: valueAlignment)
  }

  deinit { unsafe start.deallocate() }

  var isFull: Bool { count == capacity }

  /// The place for the next value. It is valid only while the memory is not full.
  var nextPlace: StructMemory { unsafe StructMemory(start + count * stride) }

  private func start<Value>(of _: Value.Type) -> UnsafeMutablePointer<Value> {
    unsafe start.assumingMemoryBound(to: Value.self)
  }

  /// Doubles the capacity, and moves the values to the larger memory.
  mutating func grow<Value>(moving type: Value.Type) {
    let larger = UnsafeMutableRawPointer.allocate(
      byteCount: capacity * 2 * stride, alignment: valueAlignment)
    unsafe larger.moveInitializeMemory(as: type, from: start(of: type), count: count)
    unsafe start.deallocate()
    unsafe start = larger
    capacity *= 2
  }

  /// Moves all values out of the memory and returns them.
  mutating func takeAll<Value>(of type: Value.Type) -> [Value] {
    // The initializer below writes the count even into the storage that all empty arrays share.
    guard count > 0 else { return [] }
    defer { count = 0 }
    return unsafe Array(unsafeUninitializedCapacity: count) { buffer, initialized in
      unsafe buffer.baseAddress?.moveInitialize(from: start(of: type), count: count)
      initialized = count
    }
  }

  /// Deinitialises the values.
  mutating func endAll<Value>(of type: Value.Type) {
    unsafe start(of: type).deinitialize(count: count)
    count = 0
  }
}

/// Memory for one value, which is decoded in place and then moved out.
///
/// This is safe because the owner passes the type for which the memory was made, and takes a value
/// only after decoding it completely. The owner takes each completely decoded value, so the deinit
/// has no value to deinitialise.
@safe
package struct ScratchMemory: ~Copyable {
  private let start: UnsafeMutableRawPointer

  package init<Value>(for _: Value.Type) {
    unsafe start = .allocate(
      byteCount: max(1, MemoryLayout<Value>.size), alignment: MemoryLayout<Value>.alignment)
  }

  deinit { unsafe start.deallocate() }

  /// The memory in which the value is decoded.
  @inline(__always)
  package var memory: StructMemory { unsafe StructMemory(start) }

  /// Moves the decoded value out of the memory and returns it.
  @inline(__always)
  package func take<Value>(_: Value.Type) -> Value {
    unsafe start.assumingMemoryBound(to: Value.self).move()
  }
}
