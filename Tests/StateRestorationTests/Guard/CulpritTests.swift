import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The record in which launches have crashed")
struct CulpritTests {
  typealias Crash = GuardedWorld.Crash

  /// Returns an archive of a tree. A launch with this archive makes each kind of call of the app's
  /// code.
  static func archive(_ world: GuardedWorld, kind: Int = 1) throws -> StateArchive {
    let launch = GuardedLaunch(world, kind: kind).run(nil)
    for (number, name) in ["a", "loud1", "loud2", "late1", "late2", "z"].enumerated() {
      let screen = try launch.add(name, number: number)
      try launch.add("leaf-\(name)", below: screen)
      if name.hasPrefix("loud") { try launch.add("ear-\(name)", below: screen) }
    }
    return launch.restoration.archive(of: launch.app)
  }

  @Test(
    "Two crashes in a record leave it out, with the records below it, and nothing else",
    arguments: [
      ("make", "a", "a"), ("make", "leaf-a", "a/leaf-a"), ("attach", "z", "z"),
      ("decode", "a", "a"),
      ("decode", "late2", "late2"), ("decode", "app", ""), ("hear", "ear-loud1", "loud1"),
      ("hear", "ear-loud2", "loud2"), ("finish", "a", "a"), ("finish", "z", "z"),
      ("finish", "app", ""), ("late", "late1", "late1"), ("late", "late2", "late2"),
      ("finish", "late2", "late2"), ("read", "z", "z"), ("migrate", "2", "loud2"),
    ])
  func named(_ call: String, _ name: String, _ path: String) throws {
    let world = try GuardedWorld()
    let archive = try Self.archive(world)
    let crash = Crash(call, name)
    let kind = call == "migrate" ? 2 : 1
    let all = GuardedLaunch(world, kind: kind).run(archive).restoration.report.records.map {
      $0.path.joined(separator: "/")
    }
    // If the application's own record is left out, no other record is.
    let out = all.filter { path.isEmpty ? $0.isEmpty : $0 == path || $0.hasPrefix(path + "/") }
    try world.crash(crash, from: archive, kind: kind)
    let text = "while a record was restored (\(path.isEmpty ? "the application" : path))"
      .replacing("/", with: " › ")
    for number in 1...2 {
      world.bugs = [crash]
      let launch = GuardedLaunch(world, kind: kind).run(archive)
      if call == "read" { _ = launch.find(name)?.lazy }
      #expect(launch.leftOut == (number == 1 ? [] : out))
      #expect(launch.restoration.report.problems.count == 1)
      #expect(launch.restoration.report.problems.first?.contains(text) == true)
      #expect((world.crash == crash) == (number == 1))
      #expect(launch.restoration.report.count(.restored) == all.count - launch.leftOut.count)
      #expect(world.calls.contains(Crash("ask", "recover")))
      try world.end()
    }
    // It stays left out, also from an archive of the launch without it.
    let last = GuardedLaunch(world, kind: kind).run(archive)
    for saved in [archive, last.restoration.archive(of: last.app)] {
      let launch = GuardedLaunch(world, kind: kind).run(saved)
      #expect(Set(launch.leftOut) == Set(out) && world.crash == nil)
      #expect(launch.restoration.report.problems == [])
      #expect(world.calls.contains(Crash("ask", "launch")))
    }
  }

  @Test("Two crashes that concern no record lead to the application's own record only")
  func unnamed() throws {
    for call in ["told", "report"] {
      let world = try GuardedWorld()
      let archive = try Self.archive(world)
      try world.crash(Crash(call), Crash(call), from: archive)
      for _ in 0..<2 {
        let launch = GuardedLaunch(world).run(archive)
        #expect(launch.leftOut == [])
        #expect(launch.restoration.report.count(.restored) == 1)
        #expect(launch.restoration.report.count(.carried) > 10)
      }
      let updated = GuardedLaunch(world, version: "2").run(archive)
      #expect(updated.restoration.report.count(.carried) == 0)
    }
  }

  @Test("A question that has crashed twice is not asked again, and all is restored")
  func asking() throws {
    let world = try GuardedWorld()
    let archive = try Self.archive(world)
    let first = GuardedLaunch(world).run(archive)
    try world.crash(Crash("ask"), Crash("ask"), from: archive)
    for _ in 0..<2 {
      let next = GuardedLaunch(world).run(archive)
      #expect(!world.calls.contains(Crash("ask")))
      #expect(next.outcomes == first.outcomes)
    }
    GuardedLaunch(world, version: "2").run(archive)
    #expect(world.calls.contains(Crash("ask")))
  }

  @Test("A launch that is killed between the calls, or while it waits, counts nothing")
  func killedBetween() throws {
    let world = try GuardedWorld()
    let archive = try Self.archive(world)
    for _ in 0..<6 {
      let launch = GuardedLaunch(world).run(archive, waits: true)
      #expect(launch.restoration.report.count(.waiting) == 2)
      #expect(launch.leftOut == [])
      #expect(world.calls.contains(Crash("ask", "launch")))
      // The next launch gets the page as it is now.
      let found = FoundStrikes([UInt8](try Data(contentsOf: world.page)))
      #expect(found != nil && found?.lastEnd == nil && found?.book?.strikes == [])
    }
  }

  @Test("After a save has renumbered the records, a crash still names the right one")
  func renumbered() throws {
    for call in ["late", "finish", "read"] {
      let world = try GuardedWorld()
      let archive = try Self.archive(world)
      var saved = archive
      for _ in 0..<2 {
        world.bugs = [Crash(call, "late2")]
        let launch = GuardedLaunch(world).run(archive, waits: true)
        // The new archive has one more record before the others. The next launch may get the new
        // archive or the old one.
        let new = try launch.add("new")
        try launch.app.insert(new, at: 0)
        saved = launch.restoration.archive(of: launch.app)
        launch.deliver()
        if call == "read" { _ = launch.find("late2")?.lazy }
        #expect(world.crash == Crash(call, "late2"))
        try world.end()
      }
      let page = try Data(contentsOf: world.page)
      for archive in [archive, saved] {
        try page.write(to: world.page)
        let third = GuardedLaunch(world).run(archive)
        #expect(third.leftOut == ["late2", "late2/leaf-late2"], "\(call)")
      }
    }
  }

  @Test("A save in a finishing responder that then crashes names this responder")
  func savedWhileFinishing() throws {
    final class Saver: Controller, RestorationFinishing {
      func didFinishRestoring() {
        if restorationIdentifier == "b" { RunningLaunch.world?.save?() }
        RunningLaunch.world?.call("finish", restorationIdentifier ?? "")
      }
    }
    func launch(_ world: GuardedWorld, _ archive: StateArchive?) -> (Application, Restoration) {
      let app = Application()
      let restoration = Restoration { Kind("saver", Saver.init) }
      restoration.guardCrashes(in: world.page)
      world.begin()
      RunningLaunch.world = world
      world.save = { [unowned app] in
        let new = Saver()
        new.restorationIdentifier = "new"
        try? app.insert(new, at: 0)
        _ = restoration.archive(of: app)
      }
      app.launch(restoring: restoration, from: archive)
      world.save = nil
      return (app, restoration)
    }
    let world = try GuardedWorld()
    let (app, restoration) = launch(world, nil)
    for name in ["a", "b", "c"] {
      let child = Saver()
      child.restorationIdentifier = name
      try app.append(child)
    }
    let archive = restoration.archive(of: app)
    for name in ["b", "c"] {
      for _ in 0..<2 {
        world.bugs = [Crash("finish", name)]
        _ = launch(world, archive)
        #expect(world.crash == Crash("finish", name))
        try world.end()
      }
      let (again, report) = launch(world, archive)
      #expect(
        report.report.records.filter { $0.outcome == .leftOut }.map(\.path) == [[name]])
      withExtendedLifetime(again) {}
      try FileManager.default.removeItem(at: world.page)
    }
  }
}
