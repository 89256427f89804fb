package import Foundation

/// A program in a process of its own, with a pseudo-terminal in which somebody can type.
package final class TerminalProcess {
  /// The error if a program or its terminal cannot be made.
  package struct Missing: Error, CustomStringConvertible { package let description: String }

  package let id: pid_t
  /// The closure that gets what the program writes.
  private let hear: ([UInt8]) -> Void
  private let file: CInt
  private var status: CInt?
  private var isHungUp = false

  /// The lock that is held while a program starts, so that no other program inherits its terminal.
  private static let starting = NSLock()

  /// Starts a program in a terminal of 80 columns and 24 rows. The variables are added to those of this
  /// process.
  package init(
    _ program: String, _ arguments: [String], _ variables: [String: String] = [:],
    hear: @escaping ([UInt8]) -> Void
  ) throws {
    self.hear = hear
    Self.starting.lock()
    defer { Self.starting.unlock() }
    // Swift's import of the C library has neither `posix_openpt` nor `ptsname`.
    file = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (locked, number): (CInt, CInt) = (0, 0)
    let (unlock, getNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))
    guard file >= 0, ioctl(file, unlock, &locked) == 0, ioctl(file, getNumber, &number) == 0 else {
      throw Missing(description: "there is no pseudo-terminal")
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
    posix_spawnattr_setflags(&attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK))
    // The threads that run tasks block most signals. The program would inherit that.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var environment =
      ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no", "TERM": "xterm-256color"]) { _, new in new }
      .merging(variables) { _, new in new }
      .map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + environment { free(text) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, program, &actions, &attributes, &words, &environment)
    guard code == 0 else {
      close(file)
      throw Missing(description: "\(program) cannot be started: \(String(cString: strerror(code)))")
    }
    self.id = id
  }

  deinit {
    if status == nil { end(by: SIGKILL) }
    if !isHungUp { close(file) }
  }

  /// Types bytes. Reads meanwhile, because a terminal that nobody reads stops its program.
  package func type(_ bytes: some Sequence<UInt8>) {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      read(for: 0)
      let part = Array(rest.prefix(512))
      let count = write(file, part, part.count)
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Types a text.
  package func type(_ text: String) { type(text.utf8) }

  /// Changes the size, which the system tells the program.
  package func resize(width: Int, height: Int) {
    var size = winsize(
      ws_row: UInt16(height), ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(file, UInt(TIOCSWINSZ), &size)
  }

  /// Sends a signal to the program.
  package func send(_ signal: CInt) { kill(id, signal) }

  /// Closes the terminal, like a window.
  package func hangUp() {
    close(file)
    isHungUp = true
  }

  /// Reads what the program writes within a number of milliseconds. Each pause ends this time.
  package func read(for milliseconds: CInt) {
    while readOnce(within: milliseconds) {}
  }

  /// Waits for something that the program writes, at most a number of milliseconds, and reads it. Returns
  /// false if the program is silent, or has closed its terminal.
  package func readOnce(within milliseconds: CInt) -> Bool {
    var input = pollfd(fd: isHungUp ? -1 : file, events: Int16(POLLIN), revents: 0)
    guard poll(&input, 1, milliseconds) > 0 else { return false }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = Foundation.read(file, &bytes, bytes.count)
    guard count > 0 else { return false }
    hear(Array(bytes[..<count]))
    return true
  }

  /// Whether the program is stopped.
  package var isStopped: Bool { fact("stat")?.split(separator: ")").last?.hasPrefix(" T") ?? false }

  /// The ticks of the processor that the program has used.
  package var ticks: Int {
    // The fields after the name, which may contain blanks: 11 and 12 are the times.
    let fields = fact("stat")?.split(separator: ")").last?.split(separator: " ") ?? []
    return fields.dropFirst(11).prefix(2).compactMap { Int($0) }.reduce(0, +)
  }

  /// Returns the text of a file that the system has on the process, such as `status`.
  package func fact(_ name: String) -> String? {
    try? String(contentsOfFile: "/proc/\(id)/\(name)", encoding: .utf8)
  }

  /// The numbers of the program's threads.
  package var threads: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")) ?? []
  }

  /// Waits for the end of the program. Returns its exit code, or the negative number of the signal
  /// that ended it.
  @discardableResult
  package func end(by signal: CInt? = nil) -> CInt {
    if let signal { send(signal) }
    var word: CInt = 0
    while waitpid(id, &word, WNOHANG) == 0 { read(for: 5) }
    read(for: 0)
    let ending = word & 0x7f == 0 ? (word >> 8) & 0xff : -(word & 0x7f)
    status = ending
    return ending
  }
}
