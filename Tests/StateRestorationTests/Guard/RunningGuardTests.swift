import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The guard of an application that runs")
struct RunningGuardTests {
  private typealias Crash = GuardedWorld.Crash

  /// Returns an archive of screens with the given names below the application.
  private static func archive(_ world: GuardedWorld, _ names: [String]) throws -> StateArchive {
    let launch = GuardedLaunch(world).run(nil)
    for (number, name) in names.enumerated() { try launch.add(name, number: number) }
    return launch.restoration.archive(of: launch.app)
  }

  @Test(
    "A crash while another archive is restored names the record by its path",
    arguments: ["decode", "finish", "late", "read"])
  func otherArchive(call: String) throws {
    let world = try GuardedWorld()
    let names = ["a", "b", "late1", "z"]
    let archive = try Self.archive(world, names)
    for name in call == "late" ? ["late1"] : ["a", "z"] {
      let other = try Self.archive(world, names.reversed())
      for _ in 0..<2 {
        let launch = GuardedLaunch(world).run(archive, waits: true)
        world.bugs = [Crash(call, name)]
        launch.restoration.restore(other, into: launch.app)
        if call == "late" { launch.deliver() }
        if call == "read" { _ = launch.find(name)?.lazy }
        #expect(world.crash == Crash(call, name))
        world.bugs = []
        try world.end()
      }
      // The process has ended without a save. So the next launch gets the first archive, in which
      // the records have other numbers.
      let next = GuardedLaunch(world).run(archive)
      #expect(next.leftOut == [name])
      try FileManager.default.removeItem(at: world.page)
    }
  }

  /// An object that can provide a context while it is decoded. An argument of the init selects
  /// this.
  private final class Provider: StateRestoring {
    let name: String
    private let provides: Bool
    private weak var app: Application?

    init(_ name: String, _ provides: Bool, _ app: Application) {
      (self.name, self.provides, self.app) = (name, provides, app)
    }

    func encodeRestorableState(with coder: StateEncoder) throws {
      try coder.encode(name, for: "name")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      if provides { app?.provide(name, for: LoudKey.self) }
    }
  }

  @Test("In a round with several restorations, an observer's crash names the one that caused it")
  func sharedRound() throws {
    let names = ["one", "two", "three"]
    for culprit in names {
      let world = try GuardedWorld()
      func launch(_ archive: StateArchive?) -> (GuardedApp, Restoration) {
        world.begin()
        RunningLaunch.world = world
        let app = GuardedApp()
        let restoration = Restoration { ContextName("notes", Notebook.self) }
        restoration.guardCrashes(in: world.page)
        app.launch(restoring: restoration, from: archive)
        return (app, restoration)
      }
      func add(to app: GuardedApp, _ restoration: Restoration) -> [Provider] {
        let objects = names.map { Provider($0, $0 == culprit, app) }
        app.batch {
          for object in objects { restoration.add(object, as: object.name, under: app) }
        }
        return objects
      }
      let (first, saving) = launch(nil)
      let archive = withExtendedLifetime(add(to: first, saving)) { saving.archive(of: first) }

      for _ in 0..<2 {
        let (app, restoration) = launch(archive)
        let ear = GuardedScreen()
        ear.restorationIdentifier = "ear"
        try app.append(ear)
        world.bugs = [Crash("hear", "ear")]
        // Each object is decoded when it is added, and the observer is called after all of them.
        let objects = add(to: app, restoration)
        #expect(world.crash == Crash("hear", "ear"))
        #expect(restoration.report.count(.restored) == 4)
        withExtendedLifetime(objects) {}
        try world.end()
      }
      let (again, next) = launch(archive)
      #expect(next.report.records.filter { $0.outcome == .leftOut }.map(\.path) == [[culprit]])
      withExtendedLifetime(again) {}
    }
  }
}
