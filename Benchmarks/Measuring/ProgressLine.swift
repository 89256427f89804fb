#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A line on standard error that shows the progress of the run. It is shown only if standard error
/// is a terminal.
struct ProgressLine {
  private let isShown = isatty(STDERR_FILENO) == 1

  func show(_ text: String) { write("\r\u{1B}[K\(text)") }
  func clear() { write("\r\u{1B}[K") }

  private func write(_ text: String) {
    guard isShown else { return }
    complain(text, terminator: "")
  }
}

/// Prints a text on standard error.
func complain(_ text: String, terminator: String = "\n") {
  let bytes = Array((text + terminator).utf8)
  // The result is ignored, because nothing can be done if standard error is closed.
  _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
