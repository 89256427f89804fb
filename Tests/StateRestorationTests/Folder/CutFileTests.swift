import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Cut files in a state folder")
struct CutFileTests {
  let drawer: Drawer
  var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  /// Makes a folder with two files. The older file has the note "old", and the newer one "newest".
  private func prepare() throws -> (old: String, new: String) {
    let world = StoredWorld(folder)
    try world.screen("screen").change("old")
    try world.restoration.save()
    world.screen?.change("newest")
    world.pass()
    world.restoration.finishWriting()
    return ("state-0", "state-1")
  }

  @Test("The newer file is cut at each byte: the older one is used")
  func newer() throws {
    let (old, new) = try prepare()
    let file = folder.appending(path: new)
    let whole = try fileBytes(file)
    let older = try fileBytes(folder.appending(path: old))
    for end in 0...whole.count {
      try? FileManager.default.removeItem(at: folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try older.write(to: folder.appending(path: old))
      try whole.prefix(end).write(to: file)
      let isCut = end < whole.count
      do {
        let world = StoredWorld(folder)
        #expect(world.screen?.note == (isCut ? "old" : "newest"), "cut at \(end)")
        let report = world.restoration.report
        #expect(report.problems.contains { $0.contains("state-1 was not used") } == isCut)
        world.screen?.change("changed")
        world.pass()
        world.restoration.finishWriting()
      }
      // The change that was saved after the cut is not lost.
      let again = StoredWorld(folder)
      #expect(again.screen?.note == "changed", "cut at \(end)")
      #expect(again.restoration.report.problems == [], "cut at \(end)")
      let quarantine = folder.appending(path: "quarantine")
      let moved = (try? names(in: quarantine)) ?? []
      #expect(moved == (isCut ? ["state-1.1"] : []), "cut at \(end)")
      if isCut {
        let bytes = try fileBytes(quarantine.appending(path: "state-1.1"))
        #expect(bytes == whole.prefix(end))
      }
    }
  }

  @Test("Any other file is cut at each byte: the newest state is restored")
  func others() throws {
    _ = try prepare()
    do {
      let world = StoredWorld(folder)
      world.screen?.change("latest")
      world.pass()
      world.restoration.finishWriting()
    }
    for name in ["state-1", "state-launch", "reports.json"] {
      let file = folder.appending(path: name)
      let whole = try fileBytes(file)
      for end in 0..<whole.count {
        try whole.prefix(end).write(to: file)
        let world = StoredWorld(folder)
        #expect(world.screen?.note == "latest", "\(name) cut at \(end)")
      }
    }
  }

  @Test("Both generations are damaged: the state as it was at a launch is used")
  func both() throws {
    _ = try prepare()
    do {
      let world = StoredWorld(folder)
      #expect(world.screen?.note == "newest")
      world.screen?.change("later")
      world.app.terminate()
    }
    for name in ["state-0", "state-1"] {
      try Data("LINSTATE\u{1} is damaged".utf8).write(to: folder.appending(path: name))
    }
    let world = StoredWorld(folder)
    #expect(world.screen?.note == "newest")
    let report = world.restoration.report
    #expect(report.problems.count == 2)
    #expect(report.notes.contains { $0.contains("state-launch") })
    world.screen?.change("changed")
    try world.restoration.save()
    world.app.terminate()
    #expect(try names(in: folder.appending(path: "quarantine")) == ["state-0.1", "state-1.2"])
    let again = StoredWorld(folder)
    #expect(again.screen?.note == "changed")
  }

  @Test("All files are damaged: the launch begins anew, and the files are kept")
  func all() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in ["state-0", "state-1", "state-launch"] {
      try Data("LINSTATE\u{1} is damaged".utf8).write(to: folder.appending(path: name))
    }
    let world = StoredWorld(folder)
    #expect(world.restoration.report.archive.fault != nil)
    #expect(world.notes == [:])
    try world.screen("screen").change("new")
    try world.restoration.save()
    world.app.terminate()
    #expect(try names(in: folder.appending(path: "quarantine")).count == 3)
    #expect(StoredWorld(folder).notes == ["screen": "new"])
  }
}
