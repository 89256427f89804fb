/// Memory large enough to push everything else out of the processor's caches.
@MainActor enum Caches {
  private static let bytes = 64 << 20
  private static let memory = UnsafeMutableRawBufferPointer.allocate(
    byteCount: bytes, alignment: 64)
  private static var round: UInt8 = 0

  /// Writes to every line of it, so that whatever is read next comes from main memory.
  static func evict() {
    round &+= 1
    for line in stride(from: 0, to: bytes, by: 64) { memory[line] = round }
  }
}
