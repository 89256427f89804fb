import Foundation
import Synchronization

/// The part of the terminal that works in handlers of signals. It gives the terminal back, however
/// the process ends, and passes signals on as bytes in a pipe.
///
/// A handler only uses atomics and calls `write`, `tcgetpgrp`, `tcsetattr`, `sigaction` and `raise`,
/// which POSIX allows there. The memory below is written before the first handler is installed, and
/// never freed.
enum Lifeline {
  /// The terminal's mode before. Handlers only read it: it is written before the first is installed.
  nonisolated(unsafe) private static let mode = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  /// The process's actions before, by the numbers of signals. A signal's is written before its
  /// handler is installed, and then only read.
  nonisolated(unsafe) private static let actions =
    UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
  private static let pipeEnd = Atomic<CInt>(-1)
  /// Whether the process has the terminal.
  static let isTaken = Atomic(false)
  private static let canAddress = Atomic(false)

  /// The second screen, marks around pastes, and no wrapping at the right edge.
  private static let enter: StaticString = "\u{1b}[?1049h\u{1b}[?2004h\u{1b}[?7l"
  private static let leave: StaticString =
    "\u{1b}[0m\u{1b}[?7h\u{1b}[?2004l\u{1b}[?25h\u{1b}[?1049l"

  /// Takes the terminal. Returns the descriptor from which the numbers of signals can be read.
  static func take(canAddress: Bool) throws -> CInt {
    var ends: [CInt] = [-1, -1]
    guard unsafe pipe(&ends) == 0, unsafe tcgetattr(STDIN_FILENO, mode) == 0 else {
      throw Terminal.Missing()
    }
    // A handler never waits.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    pipeEnd.store(ends[1], ordering: .relaxed)
    Self.canAddress.store(canAddress, ordering: .relaxed)
    for signal in [SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT, SIGWINCH] {
      install(signal) { Lifeline.note($0) }
    }
    for signal in [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE] {
      install(signal) { signal in
        Lifeline.giveBack()
        // The action before prints Swift's backtrace, now on the normal screen.
        _ = unsafe sigaction(signal, Lifeline.actions + Int(signal), nil)
        raise(signal)
      }
    }
    // A write into a closed terminal, or into a file that must not grow, is an error, not an end.
    for signal in [SIGPIPE, SIGXFSZ] { _ = Foundation.signal(signal, SIG_IGN) }
    atexit { Lifeline.giveBack() }
    takeAgain()
    return ends[0]
  }

  /// Writes the number of a signal into the pipe.
  static func note(_ signal: CInt) {
    let before = errno
    var byte = UInt8(truncatingIfNeeded: signal)
    _ = unsafe write(pipeEnd.load(ordering: .relaxed), &byte, 1)
    errno = before
  }

  /// Takes the terminal. In the background of a shell, stops until the process is continued, like any
  /// program that needs the terminal.
  static func takeAgain() {
    guard isInForeground else { return _ = raise(SIGSTOP) }
    isTaken.store(true, ordering: .relaxed)
    var raw = unsafe mode.pointee
    unsafe cfmakeraw(&raw)
    _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    if canAddress.load(ordering: .relaxed) { say(enter) }
  }

  /// Gives the terminal back, if the process has it.
  static func giveBack() {
    guard isTaken.exchange(false, ordering: .relaxed), isInForeground else { return }
    if canAddress.load(ordering: .relaxed) { say(leave) }
    _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, mode)
  }

  static var isInForeground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    return group < 0 || group == getpgrp()
  }

  private static func say(_ text: StaticString) {
    _ = unsafe write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
  }

  private static func install(_ signal: CInt, _ handler: @convention(c) (CInt) -> Void) {
    var action = sigaction()
    _ = unsafe sigaction(signal, nil, actions + Int(signal))
    _ = Foundation.signal(signal, handler)
    // A handler must have a stack of its own after the process's has overflowed.
    _ = unsafe sigaction(signal, nil, &action)
    action.sa_flags |= SA_ONSTACK
    _ = unsafe sigaction(signal, &action, nil)
  }
}
