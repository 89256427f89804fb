#if Postgres
import Foundation

/// The form in which the server keeps a text with U+0000, which it cannot keep itself.
///
/// The four characters U+0000 to U+0003 become three characters each, of which the first is U+0001. So
/// an escaped text has the same order as the text, begins and ends with the same texts, and contains
/// the same texts. Every other text is kept as it is.
enum EscapedText {
  /// Returns whether a text has a character that is escaped.
  static func needsEscape(_ bytes: UnsafeRawBufferPointer) -> Bool {
    // The test of all bytes has no branch, so the compiler uses vectors.
    var found: UInt8 = 0
    for index in 0..<bytes.count { unsafe found |= bytes[index] < 4 ? 1 : 0 }
    return found != 0
  }

  /// Returns the bytes that stand for a byte below 4.
  static func escape(_ byte: UInt8) -> [UInt8] { [1, 2 + byte / 2, 2 + byte % 2] }

  /// Returns a text in the form in which the server keeps it.
  static func escape(_ text: String) -> String {
    String(decoding: text.utf8.flatMap { $0 < 4 ? escape($0) : [$0] }, as: UTF8.self)
  }

  /// Returns whether the bytes may have an escaped character.
  static func isEscaped(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return false }
    return unsafe memchr(start, 1, bytes.count) != nil
  }

  /// Returns the text's own bytes. Bytes that no escaped character has stay as they are.
  static func unescape(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = unsafe bytes[index]
      if byte == 1, index + 2 < bytes.count, case let high = unsafe bytes[index + 1],
        case let low = unsafe bytes[index + 2], 2...3 ~= high, 2...3 ~= low
      {
        text.append((high - 2) * 2 + low - 2)
        index += 3
      } else {
        text.append(byte)
        index += 1
      }
    }
    return text
  }
}
#endif
