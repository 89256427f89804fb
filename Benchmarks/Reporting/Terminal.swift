import Foundation

/// The terminal that standard output writes to.
enum Terminal {
  /// The number of characters in a line. It is the environment variable `COLUMNS` if that is set,
  /// otherwise the terminal's width. If there is no terminal, it is 80.
  static var width: Int {
    if let text = ProcessInfo.processInfo.environment["COLUMNS"], let width = Int(text), width > 0 {
      return width
    }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
