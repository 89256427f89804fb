import Foundation

/// The terminal that standard output writes to.
enum Terminal {
  /// The characters in a line: the variable `COLUMNS` if it is set, else the terminal's width, else
  /// 80.
  static var width: Int {
    if let text = ProcessInfo.processInfo.environment["COLUMNS"], let width = Int(text), width > 0 {
      return width
    }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
