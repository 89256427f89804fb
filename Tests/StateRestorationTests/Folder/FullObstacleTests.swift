import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A folder with content in place of a file")
struct FullObstacleTests {
  let drawer: Drawer
  var folder: URL { drawer.file("state") }
  private var quarantine: URL { folder.appending(path: "quarantine") }

  init() throws { drawer = try Drawer() }

  /// Makes a folder in place of the file with the given name. The folder contains nested folders, a
  /// file, links and a pipe.
  private func obstruct(_ name: String) throws {
    let victim = drawer.file("victim")
    try FileManager.default.createDirectory(at: victim, withIntermediateDirectories: true)
    try Data("precious".utf8).write(to: victim.appending(path: "file"))
    var place = folder.appending(path: name)
    try? FileManager.default.removeItem(at: place)
    for number in 0..<3 { place.append(path: "\(number)") }
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Data("secret".utf8).write(to: place.appending(path: "file"))
    #expect(symlink(victim.path, place.appending(path: "link").path) == 0)
    #expect(symlink(victim.path, folder.appending(path: "\(name)/link").path) == 0)
    #expect(mkfifo(folder.appending(path: "\(name)/fifo").path, 0o600) == 0)
  }

  private func make() throws {
    let world = StoredWorld(folder)
    try world.screen("anna").change("secret")
    try world.screen("bert").change("public")
    try world.restoration.save()
  }

  private func checkVictim() throws {
    #expect(try fileBytes(drawer.file("victim/file")) == Data("precious".utf8))
  }

  @Test("It is moved to the quarantine, and erased with all that is in it", .hangGuard)
  func erasing() throws {
    try make()
    try obstruct("state-1")
    let world = StoredWorld(folder)
    #expect(world.notes == ["anna": "secret", "bert": "public"])
    try world.restoration.save()
    #expect(try names(in: quarantine) == ["state-1.1"])
    world.screen?.removeFromParent()
    world.restoration.erase(at: ["anna"])
    #expect(!FileManager.default.fileExists(atPath: quarantine.path))
    #expect(world.restoration.report.problems.count == 1)
    try checkVictim()
    try obstruct("reports.json")
    world.restoration.erase()
    #expect(try names(in: folder).filter { $0.hasPrefix("reports") } == [])
    // After all state was erased, the report has no earlier sentence, because such a sentence could
    // contain erased state.
    #expect(world.restoration.report.problems == [])
    try checkVictim()
  }

  @Test("The oldest of them are removed from the quarantine", .hangGuard)
  func pruning() throws {
    try make()
    for _ in 0..<6 {
      try obstruct("state-1")
      let world = StoredWorld(folder)
      #expect(world.notes.count == 2)
      try world.restoration.save()
      // After two more saves, `state-0` is the older file again.
      try world.restoration.save()
      try world.restoration.save()
    }
    #expect(try names(in: quarantine) == (3...6).map { "state-1.\($0)" })
    try checkVictim()
  }

  @Test("If it cannot be removed, the report says so, and the state is saved all the same")
  func stubborn() throws {
    try make()
    try obstruct("state-1")
    do {
      let world = StoredWorld(folder) { $0 == .remove ? EBUSY : 0 }
      world.screen?.removeFromParent()
      world.restoration.erase(at: ["anna"])
      func complaints() -> Int {
        world.restoration.report.problems.count { $0.contains("not erased") }
      }
      #expect(complaints() == 1)
      for number in 0..<3 {
        world.screen?.change("public \(number)")
        world.pass()
        world.restoration.finishWriting()
        world.app.drain()
        world.screen?.change("public again")
        try world.restoration.save()
      }
      world.app.drain()
      #expect((1...2).contains(complaints()))
      #expect(!world.restoration.report.problems.contains { $0.contains("not stored") })
      world.app.terminate()
    }
    #expect(StoredWorld(folder).notes == ["bert": "public again"])
    try checkVictim()
  }
}
