package import Foundation

/// A program that runs beside the test.
///
/// The type replaces Foundation's `Process`, which looks at every open file before it starts a
/// program. With more than a thousand open files, `Process` reads past the end of a buffer.
/// Hundreds of tests have their stores open at once.
package final class ChildProcess {
  /// The write end of the pipe to the standard input of the program.
  package let input: FileHandle
  /// The part of the standard output and standard error that was read so far.
  package private(set) var said = ""
  /// The read end of the pipe from the standard output and standard error of the program.
  private let output: FileHandle
  private let id: pid_t
  private var status: Int32?

  /// The lock that is held while a program starts. Without it, a program that starts at the same
  /// time could inherit the new pipes.
  private static let starting = NSLock()

  /// Starts a program. The variables are set for the program besides those of the test.
  package init(
    _ program: String, _ arguments: [String], _ variables: [String: String] = [:]
  ) throws {
    Self.starting.lock()
    defer { Self.starting.unlock() }
    let (theirInput, input) = try Self.pipe()
    let (output, theirOutput) = try Self.pipe()
    self.input = FileHandle(fileDescriptor: input, closeOnDealloc: true)
    self.output = FileHandle(fileDescriptor: output, closeOnDealloc: true)
    defer { for file in [theirInput, theirOutput] { close(file) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (file, place) in [(theirInput, Int32(0)), (theirOutput, 1), (theirOutput, 2)] {
      posix_spawn_file_actions_adddup2(&actions, file, place)
    }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var environment =
      ProcessInfo.processInfo.environment
      // A process that crashes on purpose must end at once, without a backtrace.
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { _, new in new }
      .merging(variables) { _, new in new }
      .map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + environment { free(text) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, program, &actions, nil, &words, &environment)
    guard code == 0 else {
      throw Mishap("\(program) cannot be started: \(String(cString: strerror(code)))")
    }
    self.id = id
  }

  deinit { kill() }

  /// Runs a program to its end and returns its status and its output. The status is the exit code,
  /// or the negative number of the signal that ended the program.
  package static func run(
    _ program: String, _ arguments: [String], _ variables: [String: String] = [:]
  ) throws -> (status: Int32, output: String) {
    let process = try ChildProcess(program, arguments, variables)
    let said = process.end()
    return (process.wait(), said)
  }

  /// Writes a line to the standard input of the program.
  package func say(_ text: String) throws { try input.write(contentsOf: Data("\(text)\n".utf8)) }

  /// Waits until the output contains a text. Returns false if the output ends before that.
  package func waits(for text: String) -> Bool { waits { $0.contains(text) } }

  /// Waits until the closure returns true for the output so far. Returns false if the output ends
  /// before that.
  package func waits(until isEnough: (String) -> Bool) -> Bool {
    while !isEnough(said) {
      guard let text = readOutput() else { return false }
      said += text
    }
    return true
  }

  /// Waits for the end of the program, and returns its whole output.
  package func end() -> String {
    while let text = readOutput() { said += text }
    wait()
    return said
  }

  /// Returns the next piece of the output; nil at its end. The function does not read by
  /// Foundation, which crashes if a signal interrupts it.
  private func readOutput() -> String? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(output.fileDescriptor, &buffer, buffer.count)
      if count > 0 { return String(decoding: buffer[..<count], as: UTF8.self) }
      if count == 0 || errno != EINTR { return nil }
    }
  }

  /// Waits for the end of the program. Returns its exit code, or the negative number of the signal
  /// that ended it.
  @discardableResult
  package func wait() -> Int32 {
    if let status { return status }
    var word: Int32 = 0
    while waitpid(id, &word, 0) < 0, errno == EINTR {}
    let ending = word & 0x7f == 0 ? (word >> 8) & 0xff : -(word & 0x7f)
    status = ending
    return ending
  }

  /// Kills the program with `SIGKILL` and waits for its end. Later calls do nothing.
  package func kill() {
    guard status == nil else { return }
    Foundation.kill(id, SIGKILL)
    wait()
  }

  /// Opens a pipe that other programs do not inherit. Returns its read end and its write end.
  private static func pipe() throws -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    guard Foundation.pipe(&ends) == 0 else {
      throw Mishap("No pipe can be made: \(String(cString: strerror(errno)))")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
