import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The guard page in a state folder")
struct GuardFolderTests {
  @Test(
    "Something else in its place turns the guard off, and the launch says so and goes on",
    .hangGuard, arguments: Obstacle.allCases)
  func obstacles(_ obstacle: Obstacle) throws {
    let drawer = try Drawer()
    let folder = drawer.file("state")
    do {
      let world = StoredWorld(folder)
      try world.screen("one").change("first")
      world.app.terminate()
    }
    let page = folder.appending(path: "guard")
    try FileManager.default.removeItem(at: page)
    try obstacle.make(at: page, in: drawer)
    if obstacle == .hardLink {
      // The file with other bytes is replaced by a new page, and the last end is not known.
      let world = StoredWorld(folder)
      #expect(world.restoration.isGuarded && world.notes == [:])
      #expect(world.restoration.report.problems.count == 1)
      world.app.terminate()
    }
    let world = StoredWorld(folder)
    #expect(world.notes == ["one": "first"])
    let problems = world.restoration.report.problems
    if world.restoration.isGuarded {
      #expect(problems == [])
    } else {
      #expect(problems.count == 1)
      #expect(problems.first?.contains("The crash guard is off") == true)
    }
    world.screen?.change("second")
    world.app.terminate()
    #expect(StoredWorld(folder).notes == ["one": "second"])
    #expect(try Data(contentsOf: drawer.file("victim")) == Data("precious".utf8))
  }

  @Test("Each failing call of making the page turns the guard off, and state is restored and saved")
  func failures() throws {
    for step in FileStep.replacing + [.open, .map] {
      for number in [ENOSPC, EIO, EACCES, EROFS] {
        let world = try GuardedWorld()
        let archive = try CulpritTests.archive(world)
        try FileManager.default.removeItem(at: world.page)
        let launch = GuardedLaunch(world, probe: { $0 == step ? number : 0 }).run(archive)
        #expect(!launch.restoration.isGuarded, "\(step)")
        #expect(launch.restoration.report.count(.carried) == 0)
        #expect(launch.restoration.report.problems.count == 1)
        #expect(
          launch.restoration.report.problems.first?.contains("The crash guard is off") == true)
        launch.restoration.confirmRestoration()
      }
    }
  }

  @Test("The stored report says how the last launch has ended, and what is left out")
  func stored() throws {
    let program = try CrashingProgram()
    try program.make("a", "b")
    for _ in 0..<2 { #expect(try !program.launch("version=1", "decode:a:kill").isReady) }
    let third = try program.launch(["version=1"], ["terminate"])
    #expect(third.leftOut == ["a", "a/a-leaf"])
    let reports = try String(
      contentsOf: program.folder.appending(path: "reports.json"), encoding: .utf8)
    #expect(reports.contains("The last launch has ended while a record was restored (a)"))
    #expect(reports.contains("leftOut"))
  }

  @Test("After a page that was cut, or has other bytes, the application's record is restored")
  func repaired() throws {
    let program = try CrashingProgram()
    try program.make("a", "b")
    let changes: [(URL) throws -> Void] = [
      { try Data().write(to: $0) },
      { try Data(repeating: 0xFF, count: 100).write(to: $0) },
      { try Data(repeating: 0xFF, count: 4096).write(to: $0) },
      { try Data(repeating: 0, count: 1 << 20).write(to: $0) },
    ]
    for change in changes {
      try change(program.page)
      let launch = try program.launch(["version=1"], ["terminate"])
      #expect(launch.isReady && launch.isGuarded && launch.restored == ["app"])
      #expect(launch.problems.count == 1)
      #expect(launch.problems.first?.contains("could not be counted") == true)
      let next = try program.launch(["version=1"], ["terminate"])
      #expect(next.isReady && next.isGuarded && next.restored.count == 5)
      let data = try Data(contentsOf: program.page)
      #expect(data.count == MappedPage.size)
    }
  }

  @Test("If the page is cut while the program runs, the guard is off, and the report says so")
  func cut() throws {
    let drawer = try Drawer()
    let folder = drawer.file("state")
    do {
      let world = StoredWorld(folder)
      try world.screen("one").change("first")
      #expect(truncate(folder.appending(path: "guard").path, 0) == 0)
      world.pass()
      world.restoration.finishWriting()
      #expect(!world.restoration.isGuarded)
      #expect(
        world.restoration.report.problems == [
          "The crash guard is off: another program has cut its page"
        ])
      world.app.terminate()
    }
    // The last end is not known.
    #expect(StoredWorld(folder).notes == [:])
    #expect(StoredWorld(folder).notes == ["one": "first"])
  }

  @Test("A page that was removed is a new page, and one without permissions is replaced")
  func removed() throws {
    let program = try CrashingProgram()
    try program.make("a", "b")
    try FileManager.default.removeItem(at: program.page)
    #expect(try program.launch(["version=1"], ["terminate"]).restored.count == 5)
    #expect(chmod(program.page.path, 0) == 0)
    let launch = try program.launch(["version=1"], ["terminate"])
    #expect(launch.isReady && launch.isGuarded)
  }

  @Test(
    "A page of a newer version stays as it is, and the guard is off", arguments: [64, 4096, 8192])
  func newerFormat(_ size: Int) throws {
    let drawer = try Drawer()
    let folder = drawer.file("state")
    do {
      let world = StoredWorld(folder)
      try world.screen("one").change("first")
      world.app.terminate()
    }
    var page = Data(count: size)
    page.replaceSubrange(0..<16, with: FoundStrikes.magic)
    page[8] = 3
    let file = folder.appending(path: "guard")
    try page.write(to: file)
    let world = StoredWorld(folder)
    #expect(world.notes == ["one": "first"])
    #expect(!world.restoration.isGuarded)
    #expect(world.restoration.report.problems.count == 1)
    let problem = world.restoration.report.problems.first
    #expect(problem?.contains("The crash guard is off") == true)
    #expect(problem?.contains("newer version") == true)
    world.screen?.change("second")
    world.app.terminate()
    #expect(StoredWorld(folder).notes == ["one": "second"])
    #expect(try Data(contentsOf: file) == page)
  }

  @Test("The second process on a folder has no guard, and does not change the first one's page")
  func secondProcess() throws {
    let drawer = try Drawer()
    let folder = drawer.file("state")
    let first = StoredWorld(folder)
    try first.screen("one").change("first")
    try first.restoration.save()
    let page = try Data(contentsOf: folder.appending(path: "guard"))
    let second = StoredWorld(folder)
    #expect(first.restoration.isGuarded)
    #expect(!second.restoration.isGuarded)
    #expect(second.notes == ["one": "first"])
    #expect(second.restoration.report.notes.contains { $0.contains("guard is off") })
    second.restoration.confirmRestoration()
    second.app.terminate()
    #expect(try Data(contentsOf: folder.appending(path: "guard")) == page)
  }

  @Test("A process that has terminated its application leaves the page to the next one")
  func terminated() throws {
    let drawer = try Drawer()
    let folder = drawer.file("state")
    let first = StoredWorld(folder)
    try first.screen("one").change("first")
    first.app.terminate()
    #expect(!first.restoration.isGuarded)
    let second = StoredWorld(folder)
    #expect(second.restoration.isGuarded)
    #expect(second.notes == ["one": "first"])
  }
}
