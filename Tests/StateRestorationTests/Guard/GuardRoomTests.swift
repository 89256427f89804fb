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

  /// Returns the end that the next launch finds in the file of a page.
  private func lastEnd(_ page: URL) throws -> StrikePlace? {
    FoundStrikes([UInt8](try Data(contentsOf: page)))?.lastEnd
  }

  @Test("A guard that goes off takes its place back, and the next launch finds no crash")
  func late() throws {
    let world = try GuardedWorld()
    let archive = try CulpritTests.archive(world)
    let disk = Disk()
    let launch = GuardedLaunch(world, probe: disk.probe)
    launch.restoration.awaitsConfirmation = true
    launch.run(archive, waits: true)
    #expect(launch.restoration.isGuarded)
    #expect(try lastEnd(world.page) == .unconfirmed)
    disk.fill()
    launch.deliver()
    #expect(!launch.restoration.isGuarded)
    #expect(try lastEnd(world.page) == nil)
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
    #expect(try lastEnd(world.page) == .unconfirmed)
    launch.restoration.confirmRestoration()
    #expect(try lastEnd(world.page) == nil)
  }

  @Test("A launch without room leaves out what has two strikes, and says that it is not guarded")
  func first() throws {
    let world = try GuardedWorld()
    let archive = try CulpritTests.archive(world)
    try world.crash(Crash("decode", "a"), Crash("decode", "a"), from: archive)
    // The end of the last launch is counted.
    GuardedLaunch(world).run(archive)
    let disk = Disk()
    disk.fill()
    let launch = GuardedLaunch(world, probe: disk.probe).run(archive)
    #expect(!launch.restoration.isGuarded)
    #expect(launch.restoration.report.problems.contains { $0.contains("has no room") })
    #expect(launch.leftOut == ["a", "a/leaf-a"])
    #expect(try lastEnd(world.page) == nil)
    GuardedLaunch(world).run(archive)
    #expect(world.calls.contains(Crash("ask", "launch")))
  }
}
