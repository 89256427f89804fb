import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Synchronization
import Testing

@Suite("A disk without room for changes of the guard's page")
struct GuardRoomTests {
  private typealias Crash = GuardedWorld.Crash

  /// A disk that a test can fill.
  private final class Disk: Sendable {
    private let isFull = Mutex(false)

    func fill(_ isFull: Bool = true) { self.isFull.withLock { $0 = isFull } }

    @Sendable func probe(_ step: FileStep) -> Int32 {
      step == .room && isFull.withLock { $0 } ? ENOSPC : 0
    }
  }

  /// Returns the guard's word, which is stored in the file of a page.
  private func word(_ page: URL) throws -> GuardWord {
    let bytes = [UInt8](try Data(contentsOf: page))
    return GuardWord(raw: (0..<8).reduce(0) { $0 | UInt64(bytes[16 + $1]) << (8 * UInt64($1)) })
  }

  @Test("A guard that goes off takes its word back, and the next launch finds no crash")
  func late() throws {
    let world = try GuardedWorld()
    let archive = try CulpritTests.archive(world)
    let disk = Disk()
    let launch = GuardedLaunch(world, probe: disk.probe)
    launch.restoration.awaitsConfirmation = true
    launch.run(archive, waits: true)
    #expect(launch.restoration.isGuarded)
    #expect(try word(world.page) == .unconfirmed)
    disk.fill()
    launch.deliver()
    #expect(!launch.restoration.isGuarded)
    #expect(try word(world.page) == .idle)
    // The process is killed here.
    let later = try GuardedWorld()
    try FileManager.default.copyItem(at: world.page, to: later.page)
    GuardedLaunch(later).run(archive)
    #expect(later.calls.contains(Crash("ask", "launch")))

    // When the disk has free space again, the guard is on for the next calls, and awaits the
    // confirmation.
    disk.fill(false)
    RunningLaunch.world = world
    launch.restoration.restore(archive, into: launch.app)
    #expect(launch.restoration.isGuarded)
    #expect(try word(world.page) == .unconfirmed)
    launch.restoration.confirmRestoration()
    #expect(try word(world.page) == .idle)
  }

  @Test("A launch without room leaves out the culprit, and clears the page")
  func first() throws {
    let world = try GuardedWorld()
    let archive = try CulpritTests.archive(world)
    world.bugs = [Crash("decode", "a")]
    GuardedLaunch(world).run(archive)
    try world.end()
    world.bugs = []
    let disk = Disk()
    disk.fill()
    let second = GuardedLaunch(world, probe: disk.probe).run(archive)
    #expect(!second.restoration.isGuarded)
    #expect(second.restoration.report.problems.contains { $0.contains("there is no room") })
    #expect(second.leftOut == ["a", "a/leaf-a"])
    #expect(try word(world.page) == .idle)
    let stored = try #require(second.written.archives.first)
    GuardedLaunch(world).run(stored)
    #expect(world.calls.contains(Crash("ask", "launch")))
  }
}
