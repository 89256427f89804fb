import Foundation

// The bytes of texts and blobs, lent to closures as spans, which the compiler keeps from being used
// any longer. This is safe because each span is made of memory that its owner keeps in place for as
// long as the closure runs, and has that memory's length.

extension Cell {
  /// Lends the bytes of a text or a blob.
  @inline(__always)
  package func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    let bytes = unsafe self.bytes.assumingMemoryBound(to: UInt8.self)
    return try unsafe body(bytes.span)
  }
}

extension String {
  /// Lends the text's UTF-8.
  @inline(__always)
  package func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    var text = self
    return try text.withUTF8 { try unsafe body($0.span) }
  }

  /// Feeds a hasher the text's UTF-8, so that texts of other scalars are told apart.
  func hashBytes(into hasher: inout Hasher) {
    var text = self
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension Span<UInt8> {
  /// Compares bytes: negative if these come first, zero if they are equal, else positive.
  func order(before other: Span<UInt8>) -> Int {
    let order = unsafe withUnsafeBufferPointer { one in
      unsafe other.withUnsafeBufferPointer { other -> Int32 in
        guard let first = one.baseAddress, let second = other.baseAddress else {
          return 0
        }
        return unsafe memcmp(first, second, Swift.min(one.count, other.count))
      }
    }
    if order != 0 { return Int(order) }
    return count < other.count ? -1 : count == other.count ? 0 : 1
  }
}
