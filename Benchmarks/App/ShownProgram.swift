import Foundation
import LineagePseudoTerminal

/// A program in a pseudo-terminal, from the first frame on.
final class ShownProgram {
  /// The bytes that the program has written since the last key.
  private var written: [UInt8] = []
  private var process: TerminalProcess?

  /// Starts a program of the folder of the benchmark program.
  init(_ name: String, _ arguments: [String]) throws {
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    process = try TerminalProcess(program.appending(path: name).path, arguments) {
      [weak self] in self?.written += $0
    }
    try waits()
  }

  /// Types a key, and returns after what time the program has written something, in nanoseconds.
  func time(_ key: String) throws -> Double {
    written = []
    let start = ContinuousClock.now
    process?.type(key)
    try waits()
    return Stopwatch.nanoseconds(since: start)
  }

  /// Types a key, and returns after what time the program has written a text, in nanoseconds.
  func time(_ key: String, until text: String) throws -> Double {
    written = []
    let start = ContinuousClock.now
    process?.type(key)
    try waits(for: text)
    return Stopwatch.nanoseconds(since: start)
  }

  /// Returns after what time the program has written a text since the last key, in nanoseconds.
  func time(until text: String) throws -> Double {
    let start = ContinuousClock.now
    try waits(for: text)
    return Stopwatch.nanoseconds(since: start)
  }

  /// Returns whether the program has written a text since the last key.
  func hasWritten(_ text: String) -> Bool {
    String(decoding: written, as: UTF8.self).contains(text)
  }

  /// Types keys, and waits until the program has written a word. It skips blanks that are there already.
  func type(_ keys: String, until text: String) throws {
    written = []
    process?.type(keys)
    try waits(for: text)
  }

  /// Reads until the program has been silent for a number of milliseconds.
  func settle(for milliseconds: CInt) { process?.read(for: milliseconds) }

  /// Reads until the program has neither written nor computed anything for 300 milliseconds.
  func settleFully() {
    var ticks: Int?
    repeat {
      ticks = process?.ticks
      settle(for: 300)
    } while ticks != process?.ticks
  }

  /// Ends the program as the system would.
  func end() { process?.end(by: SIGTERM) }

  /// The bytes of memory in use.
  var residentBytes: Double {
    let line = process?.fact("status")?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line.flatMap { Double($0.filter(\.isNumber)) }.map { $0 * 1024 } ?? 0
  }

  private func waits(for text: String) throws { while !hasWritten(text) { try readOnce() } }

  private func waits() throws { while written.isEmpty { try readOnce() } }

  private func readOnce() throws {
    guard process?.readOnce(within: 10_000) == true else {
      throw Silence(text: String(decoding: written, as: UTF8.self))
    }
  }

  /// The error if the program has ended, or writes nothing for ten seconds.
  private struct Silence: Error, CustomStringConvertible {
    let text: String
    var description: String { "The measured program is silent. Its last words: \(text)" }
  }
}
