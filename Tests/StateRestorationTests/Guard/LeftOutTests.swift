import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Records that are left out")
struct LeftOutTests {
  private typealias Crash = GuardedWorld.Crash

  /// Returns an archive with a screen in which two launches have crashed.
  private static func archive(_ world: GuardedWorld, culprit: String) throws -> StateArchive {
    let archive = try CulpritTests.archive(world)
    try world.crash(Crash("decode", culprit), Crash("decode", culprit), from: archive)
    return archive
  }

  /// Opens a screen with a name, and lets its code crash if it is decoded.
  @discardableResult
  private static func open(
    _ name: String, in launch: GuardedLaunch, value: String
  ) throws -> GuardedScreen {
    launch.world.bugs = [Crash("decode", name)]
    let screen = GuardedScreen()
    screen.restorationIdentifier = name
    screen.restorationKind = "screen"
    try launch.app.append(screen)
    #expect(launch.world.crash == nil && screen.lazy.name == "")
    launch.world.bugs = []
    screen.lazy = LoudValue(name: value)
    return screen
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
        : launch.restoration.archive(of: launch.app, asksAll: false)
    }
    let launch = GuardedLaunch(world, version: "2").run(archive)
    #expect(launch.leftOut == [])
    #expect(launch.find("a")?.lazy.name == "a")
    #expect(launch.find("a", "leaf-a")?.lazy.name == "leaf-a")
    // It has its place again.
    #expect(launch.app.children.first === launch.find("a"))
    // It has come to its end in the launch above, so the earlier version restores it, too.
    let saved = launch.restoration.archive(of: launch.app, asksAll: false)
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
    try world.crash(Crash("finish", "a"), Crash("finish", "a"), from: archive)
    let next = GuardedLaunch(world).run(archive)
    #expect(next.leftOut == ["a", "a/leaf-a"])
    archive = next.restoration.archive(of: next.app)
    let launch = GuardedLaunch(world, version: "2").run(archive)
    #expect(launch.leftOut == [])
    #expect(launch.find("a", "leaf-a")?.lazy.name == "leaf-a")
  }

  @Test("A screen that is opened in their place begins anew, and is restored from then on")
  func opened() throws {
    let world = try GuardedWorld()
    let archive = try Self.archive(world, culprit: "a")
    var saved = archive
    do {
      let launch = GuardedLaunch(world).run(archive)
      try Self.open("a", in: launch, value: "new")
      saved = launch.restoration.archive(of: launch.app, asksAll: false)
    }
    // The strikes belong to the old one, also for another version and after `retryAll`.
    for version in ["1", "1", "2"] {
      let launch = GuardedLaunch(world, version: version).run(saved)
      #expect(launch.app.children.count { $0.restorationIdentifier == "a" } == 1)
      #expect(launch.find("a")?.lazy.name == "new")
      saved = launch.restoration.archive(of: launch.app)
      if version == "1" { launch.restoration.retryAll() }
    }
  }

  @Test("A new screen in their place has its own strikes, and both are kept")
  func openedAndStruck() throws {
    let world = try GuardedWorld()
    let archive = try Self.archive(world, culprit: "a")
    let launch = GuardedLaunch(world).run(archive)
    try Self.open("a", in: launch, value: "new")
    var saved = launch.restoration.archive(of: launch.app, asksAll: false)
    try world.crash(Crash("make", "a"), Crash("make", "a"), from: saved)
    let third = GuardedLaunch(world).run(saved)
    #expect(third.find("a") == nil)
    #expect(third.leftOut == ["a", "a", "a/leaf-a"])
    try Self.open("a", in: third, value: "newer")
    saved = third.restoration.archive(of: third.app)
    #expect(GuardedLaunch(world).run(saved).find("a")?.lazy.name == "newer")
  }

  @Test("`retry` gives back what has lost its place, and keeps the other one")
  func givenBack() throws {
    let world = try GuardedWorld()
    var saved = try Self.archive(world, culprit: "a")
    do {
      let launch = GuardedLaunch(world).run(saved)
      try Self.open("a", in: launch, value: "new")
      saved = launch.restoration.archive(of: launch.app)
      launch.restoration.retry(["a"])
    }
    for isCrashing in [true, false] {
      if isCrashing {
        // After one more end, it is left out again, and the other one is restored.
        try world.crash(Crash("decode", "a"), from: saved)
        let launch = GuardedLaunch(world).run(saved)
        #expect(launch.find("a")?.lazy.name == "new")
        launch.restoration.retry(["a"])
      }
    }
    let launch = GuardedLaunch(world).run(saved)
    #expect(launch.find("a")?.lazy.name == "a")
    #expect(launch.find("a", "leaf-a")?.lazy.name == "leaf-a")
    #expect(launch.app.children.count { $0.restorationIdentifier == "a" } == 1)
    #expect(launch.restoration.report.records.filter { $0.path == ["a"] }.count == 2)
    // If the screen is closed, the other one has the place again.
    launch.find("a")?.removeFromParent()
    saved = launch.restoration.archive(of: launch.app)
    #expect(GuardedLaunch(world).run(saved).find("a")?.lazy.name == "new")
  }

  @Test("Of equal siblings, the strikes stay with the right one when others come and go")
  func siblings() throws {
    let world = try GuardedWorld()
    var archive: StateArchive
    do {
      let launch = GuardedLaunch(world).run(nil)
      for number in 0..<4 {
        try launch.add("row", number: number).lazy = LoudValue(name: "\(number)")
      }
      archive = launch.restoration.archive(of: launch.app)
    }
    func numbers(_ launch: GuardedLaunch) -> [Int] {
      launch.app.children.compactMap { ($0 as? GuardedScreen)?.number }
    }
    for _ in 0..<2 {
      world.bugs = [Crash("read", "2")]
      let launch = GuardedLaunch(world).run(archive)
      for case let row as GuardedScreen in launch.app.children { _ = row.lazy }
      #expect(world.crash == Crash("read", "2"))
      try world.end()
    }
    world.bugs = []
    do {
      let launch = GuardedLaunch(world).run(archive)
      #expect(numbers(launch) == [0, 1, 3])
      launch.app.children[0].removeFromParent()
      archive = launch.restoration.archive(of: launch.app)
    }
    do {
      let launch = GuardedLaunch(world).run(archive)
      #expect(numbers(launch) == [1, 3])
      try launch.add("row", number: 4)
      archive = launch.restoration.archive(of: launch.app, asksAll: false)
    }
    // A row after the one that is left out has strikes of its own.
    for _ in 0..<2 {
      world.bugs = [Crash("read", "3")]
      let launch = GuardedLaunch(world).run(archive)
      #expect(numbers(launch) == [1, 3, 4])
      for case let row as GuardedScreen in launch.app.children { _ = row.lazy }
      #expect(world.crash == Crash("read", "3"))
      try world.end()
    }
    world.bugs = []
    let launch = GuardedLaunch(world).run(archive)
    #expect(numbers(launch) == [1, 4])
    launch.restoration.retry(["row"])
    archive = launch.restoration.archive(of: launch.app)
    #expect(Set(numbers(GuardedLaunch(world).run(archive))).isSuperset(of: [1, 2, 3]))
  }

  @Test("The application's own record is left out alone, and comes back")
  func application() throws {
    let world = try GuardedWorld()
    let first = GuardedLaunch(world).run(nil)
    first.app.theme = "dark"
    try first.add("a")
    let archive = first.restoration.archive(of: first.app)
    try world.crash(Crash("decode", "app"), Crash("decode", "app"), from: archive)
    world.bugs = [Crash("decode", "app")]
    let third = GuardedLaunch(world).run(archive)
    #expect(world.crash == nil && third.leftOut == [""])
    #expect(third.find("a")?.lazy.name == "a")
    #expect(third.app.theme == "light")
    third.find("a")?.lazy = LoudValue(name: "changed")
    try third.add("b")
    let changes = third.restoration.archive(of: third.app, asksAll: false)
    let saved = third.restoration.archive(of: third.app)
    for archive in [changes, saved] {
      let launch = GuardedLaunch(world).run(archive)
      #expect(world.crash == nil && launch.leftOut == [""])
      #expect(launch.find("a")?.lazy.name == "changed")
    }
    world.bugs = []
    for archive in [changes, saved] {
      let updated = GuardedLaunch(world, version: "2").run(archive)
      #expect(updated.app.theme == "dark")
      #expect(updated.find("b")?.lazy.name == "b")
    }
  }

  @Test("On request they are tried again, and left out after one more crash")
  func retried() throws {
    for all in [false, true] {
      let world = try GuardedWorld()
      let archive = try Self.archive(world, culprit: "a")
      for _ in 0..<3 {
        let launch = GuardedLaunch(world).run(archive)
        #expect(launch.leftOut == ["a", "a/leaf-a"])
        if all { launch.restoration.retryAll() } else { launch.restoration.retry(["a"]) }
        try world.crash(Crash("decode", "a"), from: archive)
      }
      let retrying = GuardedLaunch(world).run(archive)
      retrying.restoration.retry(["a"])
      // A launch that restores the record is good when its values are read, and clears the strike.
      let last = GuardedLaunch(world).run(archive)
      #expect(last.leftOut == [])
      for screen in [last.find("a"), last.find("a", "leaf-a")] {
        _ = (screen?.lazy, screen?.number)
      }
      try world.crash(Crash("decode", "a"), from: archive)
      #expect(GuardedLaunch(world).run(archive).leftOut == [])
    }
  }

  @Test("They are tried again even if the launch becomes good after the request")
  func retriedBeforeGood() throws {
    for all in [false, true] {
      let world = try GuardedWorld()
      let first = GuardedLaunch(world).run(nil)
      for name in ["a", "late"] { try first.add(name) }
      let archive = first.restoration.archive(of: first.app)
      try world.crash(Crash("decode", "a"), Crash("decode", "a"), from: archive)
      let launch = GuardedLaunch(world).run(archive, waits: true)
      #expect(launch.leftOut == ["a"])
      if all { launch.restoration.retryAll() } else { launch.restoration.retry(["a"]) }
      launch.deliver()
      try world.crash(Crash("decode", "a"), from: archive)
      #expect(GuardedLaunch(world).run(archive).leftOut == ["a"])
    }
  }

  @Test("A value that is read late keeps the strike of its record until it is read")
  func unread() throws {
    let world = try GuardedWorld()
    let archive = try CulpritTests.archive(world)
    try world.crash(Crash("read", "z"), from: archive)
    for _ in 0..<3 {
      // Nothing reads the value in these launches.
      let launch = GuardedLaunch(world).run(archive)
      #expect(launch.leftOut == [])
    }
    try world.crash(Crash("read", "z"), from: archive)
    #expect(GuardedLaunch(world).run(archive).leftOut == ["z", "z/leaf-z"])
  }

  @Test("The report says why something is left out")
  func reasons() throws {
    let world = try GuardedWorld()
    let archive = try Self.archive(world, culprit: "a")
    let launch = GuardedLaunch(world).run(archive)
    let report = launch.restoration.report.description
    #expect(report.contains("leftOut: a: Left out, because launches have ended in it."))
    #expect(report.contains("2 leftOut"))
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
