import Foundation
import LineagePseudoTerminal
import LineageTestSupport

/// The program `flashcards` in a pseudo-terminal, whose screen a test sees.
final class PseudoTerminal {
  /// The screen of the terminal.
  private(set) var screen = Screen(width: 80, height: 24)
  /// All that the program has written.
  private(set) var written: [UInt8] = []
  private var process: TerminalProcess?

  init(_ arguments: [String], _ variables: [String: String] = [:]) throws {
    process = try TerminalProcess(
      FlashCards.program, arguments, FlashCards.variables.merging(variables) { _, new in new }
    ) { [unowned self] bytes in
      written += bytes
      screen.show(bytes)
    }
  }

  /// Types bytes.
  func type(_ text: String) { process?.type(text) }

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
  var isStopped: Bool { process?.isStopped ?? false }

  /// The ticks of the processor that the program has used.
  var ticks: Int {
    // The fields after the name, which may contain blanks: 11 and 12 are the times.
    let fields = process?.fact("stat")?.split(separator: ")").last?.split(separator: " ") ?? []
    return fields.dropFirst(11).prefix(2).compactMap { Int($0) }.reduce(0, +)
  }

  /// Waits for the end of the program. Returns its exit code, or the negative number of the signal
  /// that ended it.
  @discardableResult
  func end(by signal: CInt? = nil) -> CInt { process?.end(by: signal) ?? 0 }
}
