import Foundation
import LineageTestSupport
import StateRestoration
import Testing

@Suite("Killed processes with a page of strikes")
struct StrikeKillTests {
  /// Starts a process that begins a launch on the page, and kills it in the given place, or in any
  /// place for zero.
  private static func kill(_ world: StrikeWorld, in number: Int) throws {
    let probe = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "LineageStateProbe")
    let process = try ChildProcess(probe.path, ["striking", world.url.path, "\(number)"])
    #expect(process.waits(for: "ready"))
    process.kill()
  }

  @Test("A killed process counts for the record that it was in")
  func known() throws {
    let world = try StrikeWorld()
    for number in [101, 102, 101] { try Self.kill(world, in: number) }
    world.launch()
    #expect(world.limits.leftOut == [StrikePlace(101)])
    #expect(world.limits.lastEnd == StrikePlace(101))
    #expect(world.page.book.row == 3)
  }

  @Test("A process that is killed between any stores and writes counts once, or not at all")
  func any() throws {
    let world = try StrikeWorld()
    let possible: Set<UInt64> = [1, 101, 102, 103, 104, 201, 202, 203, 204]
    for number in 0..<12 {
      try Self.kill(world, in: 0)
      world.launch()
      let (end, book) = (world.limits.lastEnd, world.page.book)
      guard end.map({ possible.contains($0.number) }) ?? true, world.limits.extent == .all,
        book.row == (end == nil ? 0 : 1), book.launch == UInt64(2 * number + 2)
      else {
        Issue.record("Launch \(number): \(world.limits), \(book)")
        return
      }
      world.page.noteRestored { _ in false }
      world.page.close()
    }
  }
}
