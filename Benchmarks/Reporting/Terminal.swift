import Foundation

/// Where a reader of standard output reads.
enum Terminal {
  /// The characters in a line: `COLUMNS` if it is set, the terminal's, or 80.
  static var width: Int {
    if let text = ProcessInfo.processInfo.environment["COLUMNS"], let width = Int(text), width > 0 {
      return width
    }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
