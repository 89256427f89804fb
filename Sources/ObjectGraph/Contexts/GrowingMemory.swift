/// Memory for values that are decoded in place, one after another.
///
/// Not generic: the run time would look for its type at each row. Its maker names the type when the
/// memory is full, counts the values, and ends their life.
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
    start = .allocate(byteCount: capacity * stride, alignment: valueAlignment)
  }

  deinit { start.deallocate() }

  var isFull: Bool { count == capacity }

  /// Where the next value goes, unless the memory is full.
  var nextPlace: StructMemory { StructMemory(start + count * stride) }

  private func start<Value>(of _: Value.Type) -> UnsafeMutablePointer<Value> {
    start.assumingMemoryBound(to: Value.self)
  }

  /// Makes room for as many again.
  mutating func grow<Value>(moving type: Value.Type) {
    let larger = UnsafeMutableRawPointer.allocate(
      byteCount: capacity * 2 * stride, alignment: valueAlignment)
    larger.moveInitializeMemory(as: type, from: start(of: type), count: count)
    start.deallocate()
    start = larger
    capacity *= 2
  }

  /// Returns the values, which are then no longer here.
  mutating func takeAll<Value>(of type: Value.Type) -> [Value] {
    defer { count = 0 }
    return Array(unsafeUninitializedCapacity: count) { buffer, initialized in
      buffer.baseAddress?.moveInitialize(from: start(of: type), count: count)
      initialized = count
    }
  }

  /// Ends the life of the values.
  mutating func endAll<Value>(of type: Value.Type) {
    start(of: type).deinitialize(count: count)
    count = 0
  }
}
