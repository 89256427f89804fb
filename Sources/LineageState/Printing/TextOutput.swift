/// A text stream to a terminal or a file.
///
/// Texts of an archive may contain anything. The stream writes unsafe characters as their numbers,
/// so no text can move a terminal's cursor, hide a line or look like a line of the program.
final class TextOutput {
  private let write: ([UInt8]) throws -> Void
  private var buffer: [UInt8] = []

  /// Creates a stream that passes its bytes to a closure.
  init(_ write: @escaping ([UInt8]) throws -> Void) { self.write = write }

  /// Appends a text. An unsafe character is written as in JSON, such as `\u001b`.
  func put(_ text: String) throws {
    for scalar in text.unicodeScalars {
      if (0x20..<0x7F).contains(scalar.value) {
        buffer.append(UInt8(truncatingIfNeeded: scalar.value))
      } else if scalar.isSafe {
        UTF8.encode(scalar).map { buffer.append(contentsOf: $0) }
      } else {
        for unit in String(scalar).utf16 {
          buffer += "\\u\(String(0x10000 + Int(unit), radix: 16).dropFirst())".utf8
        }
      }
    }
    if buffer.count >= 1 << 16 { try flush() }
  }

  /// Appends a text, and ends the line.
  func line(_ text: String = "") throws {
    try put(text)
    buffer.append(UInt8(ascii: "\n"))
  }

  /// Writes all bytes that are not written yet.
  func flush() throws {
    defer { buffer.removeAll(keepingCapacity: true) }
    try write(buffer)
  }
}

extension Unicode.Scalar {
  /// Whether the scalar has no effect on a terminal except that it is shown. Control characters are
  /// unsafe, and so are scalars that change the direction of the text around them.
  fileprivate var isSafe: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: return false
    // These two format characters join letters and emoji. All other ones are invisible or change
    // the direction of text.
    case .format: return self == "\u{200C}" || self == "\u{200D}"
    default: return true
    }
  }
}
