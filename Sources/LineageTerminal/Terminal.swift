import Dispatch
import Foundation
import Synchronization

/// The terminal of the process: keys and signals come as events, and frames go out.
///
/// From ``init(_:)`` until ``close()``, the terminal is in raw mode and shows its second screen.
/// However the process ends, except by `kill -9`, the terminal is given back.
package final class Terminal {
  /// A wish of the user or of the system.
  package enum Event: Sendable {
    case keys([Key])
    /// The size may have changed.
    case resized
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

  private let colors: Bool
  private let isPlain: Bool
  private var shown: Frame?

  /// Takes the terminal of standard input and output. The closure gets the events on the main queue.
  /// A plain terminal gets lines only, which it may read aloud.
  package init(isPlain: Bool, _ hear: @escaping @Sendable (Event) -> Void) throws {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { throw Missing() }
    self.isPlain = isPlain
    colors = (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    let keyboard = Keyboard(hear)
    let signals = try Lifeline.take(canAddress: !isPlain)
    Self.listen(to: STDIN_FILENO) { keyboard.read($0) }
    Self.listen(to: signals) {
      for signal in $0 { hear(Self.events[CInt(signal)] ?? .end) }
    }
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
    guard frame != shown, Lifeline.isTaken.load(ordering: .relaxed) else { return }
    let lines = isPlain ? frame.lines(since: shown).map { $0 + "\r\n" }.joined() : nil
    send(lines ?? FrameChange(from: shown, to: frame, colors: colors).text)
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

  private func send(_ text: String) {
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes[done...].withUnsafeBytes {
        unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count)
      }
      if count > 0 {
        done += count
      } else if errno == EAGAIN {
        var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&output, 1, -1)
      } else if errno != EINTR {
        // The terminal has vanished. The end of the input tells the program.
        return
      }
    }
  }

  /// The meanings of signals. All others ask the process to end.
  private static let events: [CInt: Event] = [
    SIGWINCH: .resized, SIGCONT: .continued, SIGTSTP: .suspend,
  ]

  /// Calls a closure with what comes at a descriptor, and with nothing at its end.
  private static func listen(to descriptor: CInt, _ hear: @escaping @Sendable ([UInt8]) -> Void) {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    // The handler keeps the source until the source is cancelled.
    source.setEventHandler {
      var bytes = [UInt8](repeating: 0, count: 1 << 14)
      let count = unsafe read(descriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR || errno == EAGAIN { return }
      // The system stops a program that reads in the background of a shell, by a signal that is
      // blocked on this thread.
      if count < 0, errno == EIO, !Lifeline.isInForeground { return _ = raise(SIGSTOP) }
      if count <= 0 { source.cancel() }
      hear(Array(bytes.prefix(max(0, count))))
    }
    source.activate()
  }

  /// The bytes of the keyboard, on their way to keys.
  private final class Keyboard: Sendable {
    /// The parser, and the number of reads so far.
    private let state = Mutex((parser: KeyParser(), reads: 0))
    private let hear: @Sendable (Event) -> Void
    /// The time after which an escape is the key of that name.
    private static let patience = DispatchTimeInterval.milliseconds(40)

    init(_ hear: @escaping @Sendable (Event) -> Void) { self.hear = hear }

    func read(_ bytes: [UInt8]) {
      let (keys, isWaiting, number) = state.withLock { state in
        state.reads += 1
        return (state.parser.read(bytes), state.parser.isWaiting, state.reads)
      }
      hear(bytes.isEmpty ? .end : .keys(keys))
      guard isWaiting else { return }
      DispatchQueue.main.asyncAfter(deadline: .now() + Self.patience) { [self] in
        hear(.keys(state.withLock { $0.reads == number ? $0.parser.flush() : [] }))
      }
    }
  }
}
