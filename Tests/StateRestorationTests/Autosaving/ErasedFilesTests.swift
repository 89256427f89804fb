import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Erased state is in no file")
struct ErasedFilesTests {
  let drawer: Drawer
  var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  /// Returns the names of the files whose bytes contain a text.
  private func files(with text: String) throws -> [String] {
    let all = FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []
    return all.compactMap { $0 as? String }.filter { name in
      let url = folder.appending(path: name)
      guard let data = try? fileBytes(url) else { return false }
      return data.range(of: Data(text.utf8)) != nil
    }
  }

  /// Makes a folder in which each file contains a secret. Some of the files are temporary files, as
  /// a killed process leaves them.
  private func prepare() throws {
    for number in 0..<3 {
      let world = StoredWorld(folder)
      if number == 0 {
        try world.screen("secret-anna").change("secret of anna")
        try world.screen("bert").change("public")
      }
      (world.app.children.first as? Screen)?.change("secret of anna \(number)")
      try world.restoration.save()
      world.app.terminate()
    }
    let good = try fileBytes(folder.appending(path: "state-0"))
    for name in [".state-0.saving", ".state-1.saving1", ".state-launch.saving"] {
      try good.write(to: folder.appending(path: name))
    }
    let quarantine = folder.appending(path: "quarantine")
    try FileManager.default.createDirectory(at: quarantine, withIntermediateDirectories: true)
    try good.write(to: quarantine.appending(path: "state-1.7"))
    #expect(try files(with: "secret").count >= 7)
  }

  @Test("One account is erased, and the other one stays")
  func account() throws {
    try prepare()
    let world = StoredWorld(folder)
    world.app.children.first?.removeFromParent()
    world.restoration.erase(at: ["secret-anna"])
    #expect(try files(with: "secret of anna") == [])
    #expect(try names(in: folder).filter { $0.hasPrefix("state") }.count == 1)
    world.app.terminate()
    #expect(try files(with: "secret of anna") == [])
    #expect(StoredWorld(folder).notes == ["bert": "public"])
  }

  @Test("All is erased before the launch")
  func beforeLaunch() throws {
    try prepare()
    let app = App()
    let restoration = Restoration(in: .at(folder)) { makeParts(Events()) }
    restoration.erase()
    #expect(try files(with: "secret") == [])
    app.launch(restoring: restoration)
    #expect(Array(app.children).isEmpty)
    #expect(restoration.report.problems == [])
  }

  @Test("A path cannot be erased before the launch, and the report says so")
  func pathBeforeLaunch() throws {
    try prepare()
    let app = App()
    let restoration = Restoration(in: .at(folder)) { makeParts(Events()) }
    restoration.erase(at: ["secret-anna"])
    app.launch(restoring: restoration)
    #expect(Array(app.children).count == 2)
    #expect(restoration.report.problems.first?.contains("after the launch") == true)
  }

  @Test("Erased by a responder that is being restored, it is gone when the launch has ended")
  func whileRestoring() throws {
    try prepare()
    let events = Events()
    let app = App(events)
    var own: Restoration?
    let restoration = Restoration(in: .at(folder)) {
      Kind("screenOfClass") { request in
        guard request.path == ["secret-anna"] else { return Screen(events) }
        own?.erase(at: ["secret-anna"])
        return nil
      }
    }
    own = restoration
    app.launch(restoring: restoration)
    own = nil
    restoration.finishWriting()
    #expect(try files(with: "secret of anna") == [])
    app.terminate()
    #expect(try files(with: "secret of anna") == [])
    #expect(try files(with: "secret-anna") == [])
  }

  @Test(
    "All is erased, even what a newer version has written", arguments: [false, true])
  func newerFormat(isLaunched: Bool) throws {
    try prepare()
    let bytes = Array(try fileBytes(folder.appending(path: "state-1")))
    try Data(Forgery.forge(bytes, format: 9)).write(to: folder.appending(path: "state-1"))
    let app = App()
    let restoration = Restoration(in: .at(folder)) { makeParts(Events()) }
    if isLaunched { app.launch(restoring: restoration) }
    restoration.erase(at: ["secret-anna"])
    #expect(try files(with: "secret").count >= 7)
    restoration.erase()
    #expect(try files(with: "secret") == [])
  }

  @Test(
    "Each call of the file system fails: either all is erased, or the report says that it is not")
  func failures() throws {
    let template = drawer.file("template")
    try prepare()
    try FileManager.default.moveItem(at: folder, to: template)
    var index = 0
    var isOver = false
    while !isOver {
      for last in [index + 1, Int.max] {
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.copyItem(at: template, to: folder)
        let calls = FailingCalls(index..<last, ENOSPC)
        let world = StoredWorld(folder, probe: calls.probe)
        world.app.children.first?.removeFromParent()
        world.restoration.erase(at: ["secret-anna"])
        let problems = world.restoration.report.problems
        let isReported = problems.contains { $0.contains("not erased") }
        #expect(try isReported || files(with: "secret of anna").isEmpty, "\(index)..<\(last)")
        isOver = calls.calls <= index
        guard last == index + 1, !isOver,
          !problems.contains(where: { $0.contains("does not save") })
        else {
          continue
        }
        try world.restoration.save()
        #expect(try files(with: "secret of anna") == [], "\(index), after the next save")
      }
      index += 1
    }
    #expect(index > 20)
  }
}
