import Foundation
import Synchronization

/// The terminal of the process: keys and signals come as events, and frames go out.
///
/// From ``init(_:)`` until ``close()``, the terminal is in raw mode and shows its second screen.
/// However the process ends, except by `kill -9`, the terminal is given back.
package final class Terminal {
  /// A wish of the user or of the system.
  package enum Event {
    case keys([Key])
    /// The size may have changed, or ``Terminal/wake()`` was called.
    case draw
    /// The process shall stop until it is continued, like after the key Control-Z. The program
    /// calls ``suspend()``.
    case suspend
    /// The process was continued. The program calls ``takeAgain()``.
    case continued
    /// The process shall end, or there is no terminal any more.
    case end
  }

  /// The error if standard input or output is no terminal.
  package struct Missing: Error {}

  private let colors: Bool, isPlain: Bool, signals: CInt
  private var shown: Frame?
  private var parser = KeyParser(), keyboard = STDIN_FILENO

  /// Takes the terminal of standard input and output. A plain terminal gets lines only, which it may
  /// read aloud.
  package init(isPlain: Bool) throws {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw Missing() }
    self.isPlain = isPlain
    colors = (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    signals = try Lifeline.take(canAddress: !isPlain)
  }

  /// The size of the terminal in cells.
  package var size: (width: Int, height: Int) {
    var size = winsize()
    let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
  }

  /// Shows a frame, by writing what differs from the frame before. In the background of a shell, nothing
  /// is written.
  package func show(_ frame: Frame) {
    guard Lifeline.isTaken.load(ordering: .relaxed) else { return }
    let lines = isPlain ? frame.lines(since: shown).map { $0 + "\r\n" }.joined() : nil
    send(lines.map { Array($0.utf8) } ?? FrameChange(from: shown, to: frame, colors: colors).bytes)
    shown = frame
  }

  /// Gives the terminal back, and stops the process until it is continued.
  package func suspend() {
    Lifeline.giveBack()
    raise(SIGSTOP)
  }

  /// Takes the terminal again after another program has used it. The next frame is written whole.
  package func takeAgain() {
    Lifeline.takeAgain()
    shown = nil
  }

  /// Gives the terminal back.
  package func close() { Lifeline.giveBack() }

  private func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count)
      }
      // If the terminal has vanished, the end of the input tells the program.
      guard count >= 0 || errno == EAGAIN || errno == EINTR else { return }
      var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
      if count < 0 { _ = unsafe poll(&output, 1, -1) }
      rest = rest.dropFirst(max(0, count))
    }
  }

  /// The meanings of signals. All others ask the process to end.
  private static let events = [SIGWINCH: Event.draw, SIGCONT: .continued, SIGTSTP: .suspend]

  /// Waits until there is an event, or until ``wake()`` is called.
  package func wait() -> [Event] {
    var inputs = [keyboard, signals].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    // After 40 milliseconds of silence, an escape is the key of that name.
    if unsafe poll(&inputs, 2, parser.isWaiting ? 40 : -1) == 0 { return [.keys(parser.flush())] }
    let events = (Self.bytes(of: inputs[1]) ?? []).map { Self.events[CInt($0)] ?? .end }
    guard let keys = Self.bytes(of: inputs[0]) else { return events }
    if keys.isEmpty { keyboard = -1 }
    return events + [keys.isEmpty ? .end : .keys(parser.read(keys))]
  }

  /// Makes ``wait()`` return, on any thread, because there may be something new to draw.
  package static func wake() { Lifeline.note(SIGWINCH) }

  /// Reads what is there at an input. The result is empty at its end, and nil if there is nothing yet.
  private static func bytes(of input: pollfd) -> [UInt8]? {
    guard input.revents != 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 1 << 12)
    let count = unsafe read(input.fd, &bytes, bytes.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return nil }
    return Array(bytes.prefix(max(0, count)))
  }
}
