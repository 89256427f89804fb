import Foundation

/// The least that a program in a terminal can do: a loop around `poll` that moves a mark in a list of
/// rows which it keeps in an array. It is the baseline of the suite *app*, in a process of its own.
enum PollLoop {
  /// The argument that makes the benchmark program run the loop.
  static let argument = "--poll-loop"

  static func run() -> Never {
    var mode = termios()
    tcgetattr(STDIN_FILENO, &mode)
    cfmakeraw(&mode)
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    let rows = (0..<20).map { "Question \($0)  Answer \($0)          0 right, 0 wrong" }
    var selected = 0
    func text(_ row: Int) -> String {
      "\u{1b}[\(row + 3);1H\u{1b}[m\(row == selected ? "›\u{1b}[7m" : " ") \(rows[row])\u{1b}[m"
    }
    send("\u{1b}[2J" + rows.indices.map(text).joined())
    var bytes = [UInt8](repeating: 0, count: 1024)
    while true {
      var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard poll(&input, 1, -1) > 0 else { continue }
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      guard count > 0 else { exit(0) }
      let last = selected
      selected = max(0, min(rows.count - 1, selected + (bytes[count - 1] == 0x42 ? 1 : -1)))
      send(text(last) + text(selected))
    }
  }

  private static func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
  }
}
