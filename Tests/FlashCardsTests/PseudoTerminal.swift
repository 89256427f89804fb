import Foundation
import LineageTestSupport

/// The program `flashcards` in a process of its own, with a pseudo-terminal that a test types in.
final class PseudoTerminal {
  /// The screen of the terminal.
  private(set) var screen = Screen(width: 80, height: 24)
  /// All that the program has written.
  private(set) var written: [UInt8] = []
  private let file: CInt
  private let id: pid_t
  private var status: CInt?
  private var isHungUp = false

  /// The lock that is held while a program starts, so that no other program inherits its terminal.
  private static let starting = NSLock()

  init(_ arguments: [String], _ variables: [String: String] = [:]) throws {
    Self.starting.lock()
    defer { Self.starting.unlock() }
    // Swift's import of the C library has neither `posix_openpt` nor `ptsname`.
    file = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (locked, number): (CInt, CInt) = (0, 0)
    let (unlock, getNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))
    guard file >= 0, ioctl(file, unlock, &locked) == 0, ioctl(file, getNumber, &number) == 0 else {
      throw Mishap("there is no pseudo-terminal")
    }
    let path = "/dev/pts/\(number)"
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(file, UInt(TIOCSWINSZ), &size)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that the leader of a session opens becomes the session's terminal.
    posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    let newSession: Int16 = 0x80
    posix_spawnattr_setflags(&attributes, newSession)
    var words = ([FlashCards.program] + arguments).map { strdup($0) } + [nil]
    var environment =
      ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no", "TERM": "xterm-256color"]) { _, new in new }
      .merging(FlashCards.variables.merging(variables) { _, new in new }) { _, new in new }
      .map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + environment { free(text) } }
    var id: pid_t = 0
    let code = posix_spawn(
      &id, FlashCards.program, &actions, &attributes, &words, &environment)
    guard code == 0 else { throw Mishap("flashcards cannot be started: \(code)") }
    self.id = id
  }

  deinit {
    if status == nil { end(by: SIGKILL) }
    if !isHungUp { close(file) }
  }

  /// Types bytes. Reads meanwhile, because a terminal that nobody reads stops its program.
  func type(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      read(for: 0)
      let part = Array(rest.prefix(512))
      let count = write(file, part, part.count)
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Changes the size, which the system tells the program.
  func resize(width: Int, height: Int) {
    var size = winsize(
      ws_row: UInt16(height), ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
    screen = Screen(width: width, height: height)
    _ = ioctl(file, UInt(TIOCSWINSZ), &size)
  }

  /// Sends a signal to the program.
  func send(_ signal: CInt) { kill(id, signal) }

  /// Closes the terminal, like a window.
  func hangUp() {
    close(file)
    isHungUp = true
  }

  /// Reads what the program writes within a number of milliseconds.
  func read(for milliseconds: CInt) {
    var input = pollfd(fd: isHungUp ? -1 : file, events: Int16(POLLIN), revents: 0)
    while poll(&input, 1, milliseconds) > 0, input.revents & Int16(POLLIN) != 0 {
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      let count = Foundation.read(file, &bytes, bytes.count)
      guard count > 0 else { return }
      written += bytes[..<count]
      screen.show(bytes[..<count])
    }
  }

  /// Reads until the screen has a text. Throws if that never happens.
  func waits(for text: String) throws { try waits { $0.text.contains(text) } }

  /// Reads until the closure returns true for the screen. Throws if that never happens.
  func waits(until isShown: (Screen) -> Bool) throws {
    for _ in 0..<6_000 {
      if isShown(screen) { return }
      read(for: 10)
    }
    throw Mishap("this is still shown:\n\(screen.text)")
  }

  /// Whether the program is stopped.
  var isStopped: Bool {
    let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
    return stat?.split(separator: ")").last?.hasPrefix(" T") ?? false
  }

  /// Waits for the end of the program. Returns its exit code, or the negative number of the signal
  /// that ended it.
  @discardableResult
  func end(by signal: CInt? = nil) -> CInt {
    if let signal { send(signal) }
    var word: CInt = 0
    while waitpid(id, &word, WNOHANG) == 0 { read(for: 5) }
    read(for: 0)
    let ending = word & 0x7f == 0 ? (word >> 8) & 0xff : -(word & 0x7f)
    status = ending
    return ending
  }
}
