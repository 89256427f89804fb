import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Synchronization
import Testing

/// A probe that lets some calls of the file system fail.
final class FailingCalls: Sendable {
  private let count = Atomic(0)
  private let failing: Range<Int>
  private let number: Int32

  /// Makes a probe that lets some calls fail with an error number. The range has the indices of
  /// these calls, counted from zero.
  init(_ failing: Range<Int>, _ number: Int32) {
    self.failing = failing
    self.number = number
  }

  /// The number of calls so far.
  var calls: Int { count.load(ordering: .relaxed) }

  @Sendable func probe(_ step: FileStep) -> Int32 {
    failing.contains(count.add(1, ordering: .relaxed).oldValue) ? number : 0
  }
}

@Suite("Failing calls of the file system")
struct FailingCallTests {
  let drawer: Drawer
  var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  /// Makes a folder with the note "0". Two of its files are damaged, so a launch must move them to
  /// the quarantine.
  private func prepare() throws -> URL {
    let template = drawer.file("template")
    for number in [-1, 0] {
      let world = StoredWorld(template)
      if number < 0 { try world.screen("screen") }
      world.screen?.change("\(number)")
      try world.restoration.save()
      world.app.terminate()
    }
    // Each launch has saved twice, so the newer generation is in the second file.
    for name in ["state-0", "state-launch"] {
      try Data("LINSTATE\u{1} but damaged".utf8).write(to: template.appending(path: name))
    }
    return template
  }

  /// Puts the prepared files into the folder.
  private func fill(from template: URL) throws {
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.copyItem(at: template, to: folder)
  }

  /// Launches, sets the note to 1, 2 … 5, and saves after each change. All ways of saving are used.
  ///
  /// - Returns: The greatest number that was certainly stored, and whether this process may save.
  private func run(_ calls: FailingCalls) -> (stored: Int, isSaving: Bool) {
    let world = StoredWorld(folder, probe: calls.probe)
    var stored = 0
    let isSaving = !world.restoration.report.problems.contains { $0.contains("does not save") }
    let screen: Screen
    if let restored = world.screen {
      screen = restored
    } else {
      screen = Screen(world.events, "screen")
      try? world.app.append(screen)
    }
    for number in 1...5 {
      screen.change("\(number)")
      switch number {
      case 3:
        world.app.enterBackground()
        world.app.enterForeground()
      case 4:
        if (try? world.restoration.save()) != nil { stored = number }
      default:
        world.pass()
        world.restoration.finishWriting()
      }
    }
    world.app.terminate()
    return (stored, isSaving)
  }

  /// Launches without failing calls. Checks that the note is at least `least`, and that the next
  /// save succeeds.
  private func check(_ least: Int, _ text: String) {
    let world = StoredWorld(folder)
    let number = world.screen?.note.flatMap { Int($0) }
    #expect(number.map { $0 >= least } == true, "\(text): \(number.map { "\($0)" } ?? "none")")
    world.screen?.change("6")
    #expect(throws: Never.self, "\(text)") { try world.restoration.save() }
    world.app.terminate()
    let again = StoredWorld(folder)
    #expect(again.screen?.note == "6", "\(text)")
  }

  @Test("One call fails, and the next saves store all the same")
  func once() throws {
    let template = try prepare()
    let numbers = [ENOSPC, EIO, EACCES, EDQUOT, EMFILE, ENOLCK, EINTR]
    let isFull = ProcessInfo.processInfo.environment["LINEAGE_LAWS"] == "full"
    var index = 0
    while true {
      var isOver = false
      for number in isFull ? numbers : [numbers[index % numbers.count]] {
        try fill(from: template)
        let calls = FailingCalls(index..<index + 1, number)
        let (_, isSaving) = run(calls)
        check(isSaving ? 5 : 0, "call \(index) fails with \(number)")
        // An interrupted call is repeated.
        #expect(isSaving || number != EINTR, "call \(index)")
        isOver = calls.calls <= index
      }
      if isOver { break }
      index += 1
    }
    #expect(index > 100)
  }

  @Test("From one call on all fail, and what was stored before stays")
  func always() throws {
    let template = try prepare()
    var index = 0
    while true {
      try fill(from: template)
      let calls = FailingCalls(index..<Int.max, EIO)
      let (stored, _) = run(calls)
      check(stored, "calls from \(index) on fail")
      if calls.calls <= index { break }
      index += 1
    }
  }
}

extension StoredWorld {
  /// The first screen below the application.
  var screen: Screen? { app.children.first as? Screen }
}
