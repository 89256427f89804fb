import Foundation

// These functions call closures with the bytes of texts and blobs as spans. The compiler prevents
// the use of a span after its closure has returned. This is safe because the bytes stay in place
// while the closure runs, and each span covers exactly these bytes.

extension ColumnCell {
  /// Calls a closure with the bytes of a text or a blob.
  @inline(__always)
  package func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    let bytes = unsafe self.bytes.assumingMemoryBound(to: UInt8.self)
    return try unsafe body(bytes.span)
  }
}

extension String {
  /// Calls a closure with the text's UTF-8.
  @inline(__always)
  package func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
    var text = self
    return try text.withUTF8 { try unsafe body($0.span) }
  }

  /// Feeds the text's UTF-8 to a hasher, because texts are compared by their UTF-8.
  func hashBytes(into hasher: inout Hasher) {
    var text = self
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension Span<UInt8> {
  /// A copy of the bytes as a text. Invalid UTF-8 is repaired.
  var decoded: String {
    unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Returns a negative number if these bytes come first, zero if they are equal, else a positive
  /// number.
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
