import Foundation
import LineageFiles
import StateRestoration
import Synchronization
import Testing

@Suite("A page of strikes that cannot be used")
struct StrikePageFaultTests {
  @Test(
    "A page that was cut turns the guard off, and the process goes on", arguments: [0, 1, 4095])
  func cut(_ count: off_t) throws {
    let world = try StrikeWorld()
    world.launch(awaits: true)
    #expect(truncate(world.url.path, count) == 0)
    let number = world.page.during(.asking) {
      let outer = world.page.enter(.test(1))
      defer { world.page.leave(to: outer) }
      return 7
    }
    #expect(number == 7)
    #expect(!world.page.isOn)
    #expect(world.page.problem == "another program has cut its page")
    world.page.noteRestored { _ in false }
    world.page.change { $0.retry(.test(3)) }
    world.page.close()
    var status = stat()
    #expect(stat(world.url.path, &status) == 0 && status.st_size == count)
    // The last end is not known.
    #expect(world.launch().extent == .minimum)
    #expect(world.page.isOn)
    world.page.close()
    #expect(world.launch().extent == .all)
  }

  @Test(
    "A page that was cut is noticed by each call that looks at the file", arguments: 0..<6)
  func noticed(_ number: Int) throws {
    let world = try StrikeWorld()
    try world.end(in: 1)
    world.launch(awaits: true)
    #expect(truncate(world.url.path, 0) == 0)
    switch number {
    case 0: world.page.check()
    case 1: world.page.confirm()
    case 2: world.page.complete(.test(1))
    case 3: world.page.change { $0.retryAll() }
    case 4: world.page.close()
    default: break
    }
    #expect(!world.page.isOn || number == 5)
  }

  @Test("If an end cannot be counted, only the application's record is restored")
  func unwritable() throws {
    let world = try StrikeWorld()
    world.launch()
    world.page.close()
    let failing: FileStep.Probe = { $0 == .write ? ENOSPC : 0 }
    #expect(world.launch(probe: failing) == LaunchLimits())
    #expect(!world.page.isOn && world.page.problem == "its page could not be written")
    try world.end(in: 1)
    for _ in 0..<3 {
      #expect(world.launch(probe: failing).extent == .minimum)
      #expect(!world.limits.isCertain && world.limits.lastEnd == .test(1))
      try world.kill()
    }
    #expect(world.launch().extent == .all)
    #expect(world.page.book.strikes.map(\.count) == [1])
  }

  @Test("A write that fails later turns the guard off, and no end is counted")
  func failingLater() throws {
    let world = try StrikeWorld()
    let fails = Mutex(false)
    world.launch(awaits: true) { $0 == .write && fails.withLock { $0 } ? EIO : 0 }
    fails.withLock { $0 = true }
    world.page.change { $0.retry(.test(1)) }
    #expect(!world.page.isOn && world.page.problem == "its page could not be written")
  }

  @Test("Without room for changes, the guard is off until there is room")
  func room() throws {
    let world = try StrikeWorld()
    let isFull = Mutex(false)
    world.launch(awaits: true) { $0 == .room && isFull.withLock { $0 } ? ENOSPC : 0 }
    isFull.withLock { $0 = true }
    world.page.check()
    #expect(!world.page.isOn && world.page.problem?.hasPrefix("the disk has no room") == true)
    #expect(try world.found?.lastEnd == nil)
    let outer = world.page.enter(.test(5))
    isFull.withLock { $0 = false }
    world.page.check()
    #expect(world.page.isOn)
    #expect(try world.found?.lastEnd == .test(5))
    world.page.leave(to: outer)
    #expect(try world.found?.lastEnd == .unconfirmed)
  }

  @Test("A page that others may write is replaced by a private one, and no strike is forgotten")
  func mode() throws {
    let world = try StrikeWorld()
    try world.end(in: 1, 1)
    #expect(chmod(world.url.path, 0o666) == 0)
    let other = try FileHandle(forWritingTo: world.url)
    #expect(world.launch().leftOut == [.test(1)])
    #expect(world.mode == 0o600)
    // A program that has opened the old file cannot cut the page.
    try other.truncate(atOffset: 0)
    _ = world.page.enter(.test(2))
    try world.kill()
    #expect(world.launch().lastEnd == .test(2))
  }

  @Test("A page of a newer format stays, and the guard is off")
  func later() throws {
    let world = try StrikeWorld()
    world.launch()
    world.page.close()
    var bytes = try world.bytes
    bytes[8] = 3
    try world.replace(bytes)
    #expect(world.launch() == LaunchLimits())
    #expect(world.page.problem?.hasPrefix("a newer version") == true)
    #expect(try world.bytes == bytes)
  }

  @Test("Anything else in the page's place makes the last end unknown once")
  func foreign() throws {
    for bytes in [[], [1, 2, 3], [UInt8](repeating: 7, count: 4096)] as [[UInt8]] {
      let world = try StrikeWorld()
      try Data(bytes).write(to: world.url)
      #expect(world.launch().extent == .minimum)
      try world.kill()
      #expect(world.launch().extent == .all)
    }
  }

  @Test("A page that was removed with its folder ends the guard without a problem")
  func removed() throws {
    let world = try StrikeWorld()
    world.launch()
    #expect(!world.page.endIfRemoved())
    try FileManager.default.removeItem(at: world.url)
    #expect(world.page.endIfRemoved())
    #expect(!world.page.isOn && world.page.problem == nil)
    world.page.during(.asking) { world.page.leave(to: world.page.enter(.test(1))) }
    world.page.close()
  }

  @Test("A guard without a page calls the closures of the app")
  func off() {
    let page = StrikePage()
    #expect(page.begin(version: "1", awaitsConfirmation: true) == LaunchLimits())
    #expect(page.during(.asking) { 3 } == 3)
    page.leave(to: page.enter(.test(1)))
    page.noteRestored { _ in true }
    page.change { $0.retry(.test(1)) }
    page.close()
    #expect(!page.isOn)
  }
}
