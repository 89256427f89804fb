import Foundation

/// Memory for values that are decoded in place, one after another.
///
/// Not generic: the run time would look for its type at each row. Values of entities may be moved
/// byte by byte, since the types that a column can have may.
struct GrowingMemory: ~Copyable {
  private let stride: Int
  private var start: UnsafeMutableRawPointer
  private var capacity = 64
  /// Values that are there; it is their maker who counts, and ends their life.
  var count = 0

  init(stride: Int) {
    self.stride = stride
    start = Self.grown(nil, to: 64 * stride)
  }

  deinit { free(start) }

  /// Where the next value goes.
  @inline(__always)
  mutating func nextPlace() -> UnsafeMutableRawPointer {
    if count == capacity {
      capacity *= 2
      start = Self.grown(start, to: capacity * stride)
    }
    return start + count * stride
  }

  func start<Value>(of _: Value.Type) -> UnsafeMutablePointer<Value> {
    start.assumingMemoryBound(to: Value.self)
  }

  /// Large blocks grow by moving pages, not bytes.
  private static func grown(
    _ memory: UnsafeMutableRawPointer?, to size: Int
  ) -> UnsafeMutableRawPointer {
    guard let memory = realloc(memory, max(size, 16)) else {
      preconditionFailure("there is no memory for \(size) bytes of fetched values")
    }
    return memory
  }
}
