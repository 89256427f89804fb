import Foundation
import LineagePseudoTerminal
import LineageTestSupport

/// The program `flashcards` in a pseudo-terminal, whose screen a test sees.
final class PseudoTerminal {
  /// The screen of the terminal.
  private(set) var screen = Screen(width: 80, height: 24)
  /// All that the program has written.
  private(set) var written: [UInt8] = []
  /// The closure that is called after each frame, or piece of one, that was read.
  var onShow: (() -> Void)?
  /// The nanoseconds that each thread of the program has waited for a processor.
  private var delays: [String: Double] = [:]
  private var process: TerminalProcess?

  init(
    _ arguments: [String], _ variables: [String: String] = [:], program: String = FlashCards.program
  ) throws {
    process = try TerminalProcess(
      program, arguments, FlashCards.variables.merging(variables) { _, new in new }
    ) { [weak self] in self?.show($0) }
  }

  /// Shows what the program has written.
  private func show(_ bytes: [UInt8]) {
    written += bytes
    for part in Self.frames(in: bytes) {
      screen.show(part)
      onShow?()
    }
  }

  /// Cuts bytes into frames, each of which begins with the sequence that hides the cursor.
  private static func frames(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let start = Array("\u{1b}[?25l".utf8)
    let cuts = bytes.indices.dropFirst().filter {
      bytes[$0] == 0x1b && bytes[$0...].starts(with: start)
    }
    return zip([0] + cuts, cuts + [bytes.count]).map { bytes[$0..<$1] }
  }

  /// Types a text.
  func type(_ text: String) { process?.type(text) }

  /// Pastes bytes.
  func paste(_ bytes: some Sequence<UInt8>) {
    process?.type(Array("\u{1b}[200~".utf8) + bytes + Array("\u{1b}[201~".utf8))
  }

  /// Types a text, and reads until the screen has another one.
  func type(_ text: String, until shown: String) throws {
    type(text)
    try waits(for: shown)
  }

  /// Limits the size of all files that the program writes, or ends the limit.
  func limitFiles(to bytes: Int?) throws {
    guard let process else { return }
    let limit = "--fsize=\(bytes.map(String.init) ?? "unlimited"):"
    let result = try ChildProcess.run("/usr/bin/prlimit", ["--pid", "\(process.id)", limit])
    guard result.status == 0 else { throw Mishap(result.output) }
  }

  /// Changes the size, which the system tells the program.
  func resize(width: Int, height: Int) {
    screen = Screen(width: width, height: height)
    process?.resize(width: width, height: height)
  }

  /// Sends a signal to the program.
  func send(_ signal: CInt) { process?.send(signal) }

  /// Closes the terminal, like a window.
  func hangUp() { process?.hangUp() }

  /// Reads what the program writes within a number of milliseconds.
  func read(for milliseconds: CInt) { process?.read(for: milliseconds) }

  /// Waits for something that the program writes, and reads it. Returns false if it is silent.
  func readOnce(within milliseconds: CInt) -> Bool {
    process?.readOnce(within: milliseconds) ?? false
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

  /// Reads until the screen has a whole frame of a form with a text, whose store is open. A frame
  /// shows the cursor at its end. A failure that is shown ends it, too.
  func waitsForForm(with text: String = "", or failure: String? = nil) throws {
    try waits {
      if let failure, $0.text.contains(failure) { return true }
      return $0.cursor != nil && $0.text.contains("escape cancel") && !$0.text.contains("Opening")
        && (text.isEmpty || $0.text.contains(text))
    }
  }

  /// Whether the program is stopped.
  var isStopped: Bool { process?.isStopped ?? false }

  /// The ticks of the processor that the program has used.
  var ticks: Int { process?.ticks ?? 0 }

  /// The seconds that the program's threads, taken together, were ready to run, but had no processor.
  var delay: Double {
    for thread in process?.threads ?? [] {
      let words = process?.fact("task/\(thread)/schedstat")?.split(separator: " ") ?? []
      if words.count > 1 { delays[thread] = Double(words[1]) }
    }
    return delays.values.reduce(0, +) / 1e9
  }

  /// Waits for the end of the program. Returns its exit code, or the negative number of the signal
  /// that ended it.
  @discardableResult
  func end(by signal: CInt? = nil) -> CInt { process?.end(by: signal) ?? 0 }
}

/// Waits until a file of a program's state has a text of at most 127 bytes. Throws if that never
/// happens.
func waitUntilStored(_ text: String, in folder: URL) throws {
  // In an archive, a text follows its tag, 7, and its length. Without them, a short text could be a
  // part of something else.
  try waitUntilStored(Data([7, UInt8(text.utf8.count)] + text.utf8), in: folder)
}

/// Waits until a file of a program's state has bytes. Throws if that never happens.
func waitUntilStored(_ bytes: Data, in folder: URL) throws {
  for _ in 0..<6_000 {
    for name in ["state-0", "state-1"] {
      let stored = try? Data(contentsOf: folder.appending(path: name))
      if stored?.range(of: bytes) != nil { return }
    }
    usleep(10_000)
  }
  throw Mishap("\(String(decoding: bytes, as: UTF8.self)) is never stored")
}
