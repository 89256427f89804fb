import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A folder that cannot be locked")
struct LockFailureTests {
  let drawer: Drawer
  var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  private func make() throws {
    let world = StoredWorld(folder)
    try world.screen("screen").change("first")
    world.app.terminate()
  }

  @Test(
    "After a failure that may pass, the next save tries again",
    arguments: [ENOSPC, EDQUOT, EIO, EROFS, EMFILE, ENFILE, ENOMEM],
    [FileStep.makeFolder, .open, .inspect, .lock])
  func passing(number: Int32, step: FileStep) throws {
    try make()
    do {
      let failing = FailingSteps(step, 0..<1, number)
      let world = StoredWorld(folder, probe: failing.probe)
      #expect(world.screen?.note == "first")
      #expect(!world.restoration.isGuarded)
      let problems = world.restoration.report.problems
      #expect(problems.count == 1)
      #expect(problems.first?.contains("next save tries again") == true)
      world.screen?.change("second")
      world.pass()
      world.restoration.finishWriting()
    }
    do {
      let world = StoredWorld(folder)
      #expect(world.screen?.note == "second")
      #expect(world.restoration.report.problems == [])
      #expect(world.restoration.isGuarded)
    }
  }

  @Test("An interrupted call is repeated at once")
  func interrupted() throws {
    try make()
    for step in [FileStep.makeFolder, .open, .inspect, .lock, .read] {
      let world = StoredWorld(folder, probe: FailingSteps(step, 0..<1, EINTR).probe)
      #expect(world.screen?.note == "first")
      #expect(world.restoration.isGuarded)
      #expect(world.restoration.report.problems == [])
    }
  }

  @Test("A folder that cannot be made at the launch is made by a later save")
  func missing() throws {
    do {
      // The launch, the report of the launch and the first save cannot make the folder.
      let world = StoredWorld(folder, probe: FailingSteps(.makeFolder, 0..<3, ENOSPC).probe)
      world.restoration.finishWriting()
      try world.screen("screen").change("first")
      #expect(throws: StateError.self) { try world.restoration.save() }
      try world.restoration.save()
    }
    #expect(StoredWorld(folder).screen?.note == "first")
  }

  @Test("Another process that has come meanwhile is not disturbed")
  func otherProcess() throws {
    try make()
    // The launch and its report cannot lock the folder.
    let world = StoredWorld(folder, probe: FailingSteps(.lock, 0..<2, ENOSPC).probe)
    world.restoration.finishWriting()
    do {
      let other = StoredWorld(folder)
      #expect(other.restoration.isGuarded)
      other.screen?.change("other")
      try other.restoration.save()
      world.screen?.change("mine")
      #expect(throws: StateError.self) { try world.restoration.save() }
      other.app.terminate()
    }
    #expect(throws: Never.self) { try world.restoration.save() }
    world.app.terminate()
    #expect(StoredWorld(folder).screen?.note == "mine")
  }

  @Test(
    "On a file system without locks nothing is saved, and the report says so",
    arguments: [ENOLCK, EOPNOTSUPP])
  func noLocks(number: Int32) throws {
    try make()
    let before = try fileBytes(folder.appending(path: "state-0"))
    let world = StoredWorld(folder) { $0 == .lock ? number : 0 }
    #expect(world.screen?.note == "first")
    #expect(!world.restoration.isGuarded)
    let problems = world.restoration.report.problems
    #expect(problems.contains { $0.contains("does not save its state") })
    world.screen?.change("lost")
    world.pass()
    world.restoration.finishWriting()
    #expect(throws: StateError.self) { try world.restoration.save() }
    world.app.terminate()
    #expect(try fileBytes(folder.appending(path: "state-0")) == before)
  }
}
