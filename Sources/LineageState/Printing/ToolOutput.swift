package import Foundation

/// A text stream to a terminal, a file or a test.
///
/// Texts of an archive may contain anything. The stream writes control characters as `\u{1B}`, so
/// no text can move a terminal's cursor, hide a line or look like a line of the program.
package final class ToolOutput {
  /// A style of text on a terminal.
  enum Style: String {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
  }

  private let write: ([UInt8]) throws -> Void
  private let hasColor: Bool
  private var buffer: [UInt8] = []

  /// The number of bytes that are written in one step.
  private static let step = 1 << 16

  /// Creates a stream that passes its bytes to a closure.
  package init(hasColor: Bool, write: @escaping ([UInt8]) throws -> Void) {
    self.hasColor = hasColor
    self.write = write
  }

  /// Creates a stream that writes to a file.
  package convenience init(_ file: FileHandle, hasColor: Bool) {
    self.init(hasColor: hasColor) { bytes in
      do {
        try file.write(contentsOf: Data(bytes))
      } catch {
        throw ToolError.file("the output", reason: "it cannot be written: \(error)")
      }
    }
  }

  /// Appends a text. Control characters are written as their numbers, such as `\u{1B}`.
  func put(_ text: String, _ style: Style? = nil) throws {
    guard hasColor, let style else { return try putPlain(text) }
    buffer += Array("\u{1B}[\(style.rawValue)m".utf8)
    try putPlain(text)
    buffer += Array("\u{1B}[0m".utf8)
  }

  /// Appends a text, and ends the line.
  func line(_ text: String = "", _ style: Style? = nil) throws {
    try put(text, style)
    buffer.append(UInt8(ascii: "\n"))
  }

  /// Appends several lines of the program's own text.
  func lines(_ text: String) throws {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      try self.line(String(line))
    }
  }

  private func putPlain(_ text: String) throws {
    SafeText.append(text, to: &buffer)
    if buffer.count >= Self.step { try flush() }
  }

  /// Writes all bytes that are not written yet.
  package func flush() throws {
    guard !buffer.isEmpty else { return }
    let bytes = buffer
    buffer.removeAll(keepingCapacity: true)
    try write(bytes)
  }
}
