import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Records in quarantine")
struct QuarantineTests {
  private typealias Crash = GuardedWorld.Crash

  /// Returns an archive with a screen in quarantine. A launch has crashed while it decoded this
  /// screen.
  private static func archive(_ world: GuardedWorld, culprit: String) throws -> StateArchive {
    let archive = try CulpritTests.archive(world)
    world.bugs = [Crash("decode", culprit)]
    GuardedLaunch(world).run(archive)
    try world.end()
    let second = GuardedLaunch(world).run(archive)
    world.bugs = []
    return try #require(second.written.archives.first)
  }

  @Test("They are kept over many launches and saves, and come back with all their values")
  func kept() throws {
    let world = try GuardedWorld()
    var archive = try Self.archive(world, culprit: "a")
    for number in 0..<8 {
      let launch = GuardedLaunch(world)
      launch.restoration.limits.carriedLaunches = 1
      launch.restoration.limits.carriedDays = 0
      launch.run(archive)
      #expect(launch.leftOut == ["a", "a/leaf-a"])
      try launch.add("new\(number)", number: number)
      archive =
        number % 2 == 0
        ? launch.restoration.archive(of: launch.app)
        : launch.restoration.archiveChanges(of: launch.app)
    }
    let launch = GuardedLaunch(world, version: "2").run(archive)
    #expect(launch.leftOut == [])
    #expect(launch.find("a")?.lazy.name == "a")
    #expect(launch.find("a", "leaf-a")?.lazy.name == "leaf-a")
    // It has its place again.
    #expect(launch.app.children.first === launch.find("a"))
    // From now on, the screen's record is like any other. The version that crashed restores it,
    // too.
    let saved = launch.restoration.archiveChanges(of: launch.app)
    #expect(GuardedLaunch(world).run(saved).leftOut == [])
  }

  @Test("They are kept when the records above are carried or left out")
  func nested() throws {
    let world = try GuardedWorld()
    var archive = try Self.archive(world, culprit: "leaf-a")
    #expect(GuardedLaunch(world).run(archive).leftOut == ["a/leaf-a"])
    for extent in [Restoration.Extent.minimum, .nothing, .minimum] {
      let launch = GuardedLaunch(world)
      launch.restoration.ask = { _ in extent }
      launch.run(archive)
      archive = launch.restoration.archive(of: launch.app)
    }
    #expect(GuardedLaunch(world).run(archive).leftOut == ["a/leaf-a"])
    world.bugs = [Crash("finish", "a")]
    GuardedLaunch(world).run(archive)
    try world.end()
    let second = GuardedLaunch(world).run(archive)
    #expect(second.leftOut == ["a", "a/leaf-a"])
    archive = second.restoration.archive(of: second.app)
    // Both records have the flag of the quarantine. Another version of the app tries both again.
    let launch = GuardedLaunch(world, version: "2").run(archive)
    #expect(launch.leftOut == [])
    #expect(launch.find("a", "leaf-a")?.lazy.name == "leaf-a")
  }

  @Test("A screen that is opened in their place begins anew, and does not get their values")
  func opened() throws {
    let world = try GuardedWorld()
    let archive = try Self.archive(world, culprit: "a")
    let launch = GuardedLaunch(world).run(archive)
    world.bugs = [Crash("decode", "a")]
    let screen = GuardedScreen()
    screen.restorationIdentifier = "a"
    screen.restorationKind = "screen"
    try launch.app.append(screen)
    #expect(world.crash == nil)
    #expect(screen.lazy.name == "")
    screen.lazy = LoudValue(name: "new")
    let saved = launch.restoration.archiveChanges(of: launch.app)
    world.bugs = []
    let next = GuardedLaunch(world, version: "2").run(saved)
    #expect(next.app.children.count { $0.restorationIdentifier == "a" } == 1)
    #expect(next.find("a")?.lazy.name == "new")
  }

  @Test("The application's own record is left out alone, and comes back")
  func application() throws {
    let world = try GuardedWorld()
    let first = GuardedLaunch(world).run(nil)
    first.app.theme = "dark"
    try first.add("a")
    let archive = first.restoration.archive(of: first.app)
    world.bugs = [Crash("decode", "app")]
    GuardedLaunch(world).run(archive)
    try world.end()
    let second = GuardedLaunch(world).run(archive)
    #expect(second.leftOut == [""])
    #expect(second.find("a")?.lazy.name == "a")
    #expect(second.app.theme == "light")
    second.find("a")?.lazy = LoudValue(name: "changed")
    let screen = try second.add("b")
    screen.lazy = LoudValue(name: "b")
    for saved in [
      second.restoration.archiveChanges(of: second.app), second.restoration.archive(of: second.app),
    ] {
      world.bugs = [Crash("decode", "app")]
      let third = GuardedLaunch(world).run(saved)
      #expect(world.crash == nil)
      #expect(third.leftOut == [""])
      #expect(third.find("a")?.lazy.name == "changed")
      world.bugs = []
      let updated = GuardedLaunch(world, version: "2").run(saved)
      #expect(updated.app.theme == "dark")
      #expect(updated.find("b")?.lazy.name == "b")
    }
  }

  @Test("On request they are tried again, but not the culprit of the last launch")
  func retried() throws {
    let world = try GuardedWorld()
    let archive = try Self.archive(world, culprit: "a")
    let launch = GuardedLaunch(world)
    launch.restoration.retriesQuarantined = true
    #expect(launch.restoration.plan(for: archive).description.contains("a: make or use a screen"))
    world.bugs = [Crash("decode", "z")]
    #expect(launch.run(archive).leftOut == [])
    try world.end()
    let next = GuardedLaunch(world)
    next.restoration.retriesQuarantined = true
    #expect(next.run(archive).leftOut == ["z", "z/leaf-z"])
    #expect(next.find("a")?.lazy.name == "a")
  }

  @Test("A record that is tried again and crashes again is left out alone")
  func retriedInVain() throws {
    let world = try GuardedWorld()
    let archive = try Self.archive(world, culprit: "a")
    for number in 0..<6 {
      world.bugs = [Crash("decode", "a")]
      let launch = GuardedLaunch(world)
      launch.restoration.retriesQuarantined = true
      launch.run(launch.written.archives.last ?? archive)
      // Each crash is the first one after a good start, so the next launch leaves out its culprit.
      #expect(world.crash != nil || launch.leftOut == ["a", "a/leaf-a"], "\(number)")
      #expect((world.crash != nil) == number.isMultiple(of: 2))
      #expect(launch.find("z") != nil)
      try world.end()
    }
    world.bugs = []
    let last = GuardedLaunch(world).run(archive)
    #expect(last.leftOut == ["a", "a/leaf-a"])
    #expect(last.find("z")?.lazy.name == "z")
  }

  @Test("A plan says what is left out")
  func plan() throws {
    let world = try GuardedWorld()
    let archive = try Self.archive(world, culprit: "a")
    let plan = GuardedLaunch(world).restoration.plan(for: archive).description
    #expect(plan.contains("a: leave out: a launch has crashed in it"))
    #expect(plan.contains("a › leaf-a: leave out: a launch has crashed in a record above"))
  }

  @Test("If they cannot be written, the page keeps the culprits for the next launches")
  func unwritten() throws {
    let world = try GuardedWorld()
    let archive = try CulpritTests.archive(world)
    world.bugs = [Crash("decode", "a")]
    GuardedLaunch(world).run(archive)
    try world.end()
    world.writes = false
    for _ in 0..<3 {
      let launch = GuardedLaunch(world).run(archive)
      #expect(launch.leftOut == ["a", "a/leaf-a"])
      #expect(launch.written.archives.count == 1)
      try world.end()
    }
    // A later save has the flags of the quarantine. It finds the culprits in the page by their
    // paths.
    let launch = GuardedLaunch(world).run(archive)
    let new = try launch.add("new")
    try launch.app.insert(new, at: 0)
    let saved = launch.restoration.archive(of: launch.app)
    world.writes = true
    let next = GuardedLaunch(world).run(saved)
    #expect(next.leftOut == ["a", "a/leaf-a"])
    #expect(next.written.archives.isEmpty)
  }

  @Test("Erasing removes them")
  func erased() throws {
    let world = try GuardedWorld()
    let archive = try Self.archive(world, culprit: "a")
    let launch = GuardedLaunch(world).run(archive)
    launch.restoration.erase(at: ["a"])
    let saved = launch.restoration.archive(of: launch.app)
    let next = GuardedLaunch(world, version: "2").run(saved)
    #expect(next.find("a") == nil)
    #expect(next.outcomes["a"] == nil)
  }
}
