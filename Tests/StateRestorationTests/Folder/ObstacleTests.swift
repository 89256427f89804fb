import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Links, FIFOs, sockets and folders in place of the files of a state folder")
struct ObstacleTests {
  let drawer: Drawer
  var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  private static let places = [
    "lock", "state-0", "state-1", "state-launch", "reports.json", "quarantine", "device",
  ]

  @Test(
    "are refused at once, nothing waits for them, and the state is restored and saved",
    .hangGuard, arguments: places, Obstacle.allCases)
  func obstacles(place: String, obstacle: Obstacle) throws {
    do {
      let world = StoredWorld(folder)
      try world.screen("screen").change("older")
      try world.restoration.save()
      world.screen?.change("newer")
      try world.restoration.save()
      world.app.terminate()
    }
    // The save at the end has replaced the first one, so `state-0` is the newer file.
    let (newer, older) = ("state-0", "state-1")
    // This file must be moved to the quarantine.
    if place == "quarantine" {
      try Data("LINSTATE\u{1} but damaged".utf8).write(to: folder.appending(path: older))
    }
    let file = folder.appending(path: place)
    try? FileManager.default.removeItem(at: file)
    try obstacle.make(at: file, in: drawer)
    let isLockRefused = place == "lock" && obstacle != .hardLink
    do {
      let world = StoredWorld(folder)
      let note = world.screen?.note
      #expect(note == "newer" || place == newer && note == "newer" || place == newer)
      #expect(note != nil)
      let problems = world.restoration.report.problems
      if place.hasPrefix("state") || place == "lock" && isLockRefused {
        #expect(!problems.isEmpty)
      }
      world.screen?.change("changed")
      world.pass()
      world.restoration.finishWriting()
      if isLockRefused {
        #expect(throws: StateError.self) { try world.restoration.save() }
      } else {
        try world.restoration.save()
      }
      world.app.terminate()
    }
    let again = StoredWorld(folder)
    #expect(again.screen?.note == (isLockRefused ? "newer" : "changed"))
    #expect(try Data(contentsOf: drawer.file("victim")) == Data("precious".utf8))
  }

  @Test(
    "in place of the folder itself: nothing is restored or saved, and the report says so",
    .hangGuard, arguments: Obstacle.allCases)
  func folderItself(obstacle: Obstacle) throws {
    try obstacle.make(at: folder, in: drawer)
    let world = StoredWorld(folder)
    try world.screen("screen")
    world.pass()
    guard obstacle != .folder else {
      try world.restoration.save()
      return
    }
    #expect(!world.restoration.report.problems.isEmpty)
    #expect(throws: StateError.self) { try world.restoration.save() }
    world.app.terminate()
    #expect(try Data(contentsOf: drawer.file("victim")) == Data("precious".utf8))
  }

  @Test("A device is refused", .hangGuard)
  func devices() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Only root can make a device. A read of this device never ends.
    guard mknod(folder.appending(path: "state-0").path, S_IFCHR | 0o600, 1 << 8 | 5) == 0 else {
      return
    }
    let world = StoredWorld(folder)
    #expect(world.restoration.report.problems.count == 1)
    try world.screen("screen").change("saved")
    try world.restoration.save()
    world.app.terminate()
    #expect(StoredWorld(folder).notes == ["screen": "saved"])
  }

  @Test("The folder and its files belong to their owner only")
  func modes() throws {
    let deep = drawer.file("one/two/state")
    let world = StoredWorld(deep)
    try world.screen("screen").change("one")
    try world.restoration.save()
    world.app.terminate()
    let again = StoredWorld(deep)
    again.screen?.change("two")
    again.app.terminate()
    func mode(_ url: URL) throws -> Int {
      let facts = try FileManager.default.attributesOfItem(atPath: url.path)
      return (facts[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }
    #expect(try mode(drawer.file("one")) == 0o700)
    #expect(try mode(deep) == 0o700)
    let names = try FileManager.default.contentsOfDirectory(atPath: deep.path)
    #expect(Set(names) == ["guard", "lock", "state-0", "state-1", "state-launch", "reports.json"])
    for name in names { #expect(try mode(deep.appending(path: name)) == 0o600, "\(name)") }
  }
}
