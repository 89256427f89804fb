/// Memory for the texts of one statement. It is used again for the next statement.
final class TextArena {
  private let memory: UnsafeMutableBufferPointer<CChar>
  private var used = 0

  init(capacity: Int) { memory = .allocate(capacity: capacity) }

  deinit { memory.deallocate() }

  func reset() { used = 0 }

  /// Copies the text, and returns the copied bytes. They are valid until the next call of
  /// `reset()`.
  ///
  /// - Precondition: The texts since the last reset fit into the capacity.
  @inline(__always)
  func copy(_ text: String) -> UnsafeBufferPointer<CChar> {
    var text = text
    return text.withUTF8 { bytes in
      let place = UnsafeMutableBufferPointer(rebasing: memory[used..<used + bytes.count])
      _ = bytes.withMemoryRebound(to: CChar.self) { place.initialize(from: $0) }
      used += bytes.count
      return UnsafeBufferPointer(place)
    }
  }
}
