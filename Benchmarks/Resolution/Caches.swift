/// A block of memory that is large enough to evict all other data from the processor's caches.
@MainActor enum Caches {
  private static let bytes = 64 << 20
  private static let memory = UnsafeMutableRawBufferPointer.allocate(
    byteCount: bytes, alignment: 64)
  private static var round: UInt8 = 0

  /// Writes to each cache line of the block. Other data must then be read from main memory again.
  static func evict() {
    round &+= 1
    for line in stride(from: 0, to: bytes, by: 64) { memory[line] = round }
  }
}
