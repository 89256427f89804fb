import Foundation

extension Span<UInt8> {
  /// Returns whether the bytes equal the text's UTF-8.
  package func isEqual(to text: String) -> Bool {
    guard count == text.utf8.count else { return false }
    let isSame = unsafe text.utf8.withContiguousStorageIfAvailable { other in
      unsafe withUnsafeBytes { own in
        // Both have the same number of bytes, and no pointer leaves the closures.
        guard let one = own.baseAddress, let other = other.baseAddress else {
          return true
        }
        return unsafe memcmp(one, other, own.count) == 0
      }
    }
    if let isSame { return isSame }
    var index = 0
    for byte in text.utf8 {
      if self[index] != byte { return false }
      index += 1
    }
    return true
  }
}
