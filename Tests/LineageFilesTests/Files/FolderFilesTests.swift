import Foundation
import LineageFiles
import LineageTestSupport
import Testing

@Suite("Files that are read, locked, moved and removed")
struct FolderFilesTests {
  let drawer: Drawer

  init() throws { drawer = try Drawer() }

  private var url: URL { drawer.file("file") }

  @Test("A file is read as a whole, or from its first byte on")
  func read() throws {
    try Data("on".utf8).write(to: url)
    // `#require` does not accept a value that cannot be copied.
    guard let read = try InputFile(url, followsLinks: false) else {
      Issue.record("The file is gone.")
      return
    }
    let (all, first) = (try read.bytes(), try read.bytes(first: 1))
    #expect(all == Array("on".utf8))
    #expect(first == Array("o".utf8))
  }

  @Test("A file is overwritten in place, whether it becomes longer or shorter")
  func overwriting() throws {
    let folder = PrivateFolder(drawer.url)
    try Data("a text".utf8).write(to: url)
    for text in ["another text", "b", "", "c"] {
      let file = try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber]
      try folder.overwrite("file", with: Array(text.utf8))
      #expect(try fileBytes(url) == Data(text.utf8))
      let same = try FileManager.default.attributesOfItem(atPath: url.path)[.systemFileNumber]
      #expect(file as? Int == same as? Int)
    }
  }

  @Test("A file that cannot be overwritten stays as it was", arguments: [FileStep.open, .write])
  func failedOverwriting(_ step: FileStep) throws {
    try Data("a text".utf8).write(to: url)
    let folder = PrivateFolder(drawer.url) { $0 == step ? ENOSPC : 0 }
    #expect(throws: FileError.self) {
      try folder.overwrite("file", with: Array("a longer text".utf8))
    }
    #expect(try Data(contentsOf: url) == Data("a text".utf8))
  }

  @Test("What has another name, or is no file, is not overwritten", arguments: Obstacle.allCases)
  func overwrittenObstacles(obstacle: Obstacle) throws {
    try obstacle.make(at: url, in: drawer)
    #expect(throws: FileError.self) {
      try PrivateFolder(drawer.url).overwrite("file", with: Array("other".utf8))
    }
    #expect(try Data(contentsOf: drawer.file("victim")) == Data("precious".utf8))
  }

  @Test(
    "A file that is no regular one is neither opened nor waited for", .hangGuard,
    arguments: Obstacle.allCases)
  func obstacles(obstacle: Obstacle) throws {
    try obstacle.make(at: url, in: drawer)
    guard obstacle != .hardLink else { return }
    #expect(throws: FileError.self) { _ = try InputFile(url, followsLinks: false) }
    #expect(throws: FileError.self) { _ = try FileLock(url) }
    #expect(try Data(contentsOf: drawer.file("victim")) == Data("precious".utf8))
  }

  @Test("A lock is had once, and is free when its owner ends")
  func lock() throws {
    do {
      let lock = try #require(try FileLock(url))
      #expect(try FileLock(url) == nil)
      #expect(lock.isNamed)
      try FileManager.default.removeItem(at: url)
      #expect(!lock.isNamed)
      let other = try #require(try FileLock(url))
      #expect(other.isNamed && !lock.isNamed)
    }
    #expect(try FileLock(url) != nil)
  }

  @Test("Each step that fails says so", arguments: FileStep.allCases)
  func failures(step: FileStep) throws {
    let folder = PrivateFolder(drawer.file("folder")) { $0 == step ? EIO : 0 }
    let probe: FileStep.Probe = { $0 == step ? EIO : 0 }
    var failed: Set<FileStep> = []
    func attempt(_ steps: FileStep..., work: () throws -> Void) {
      do {
        try work()
        #expect(!steps.contains(step))
      } catch {
        #expect(steps.contains(step))
        #expect((error as? FileError)?.reason == .system(EIO))
        failed.insert(step)
      }
    }
    attempt(.makeFolder) { try folder.make() }
    try PrivateFolder(drawer.file("folder")).make()
    let name = folder.file("name")
    try Data("text".utf8).write(to: name)
    attempt(.list) {
      let names = try folder.names()
      #expect(names == ["name"])
    }
    attempt(.inspect) {
      let entry = try folder.entry("name")
      #expect(entry == .file(bytes: 4))
    }
    attempt(.open, .inspect, .read) {
      _ = try InputFile(name, followsLinks: false, probe: probe)?.bytes()
    }
    attempt(.open, .inspect, .lock) { _ = try FileLock(name, probe: probe) }
    attempt(.syncFolder) { try folder.sync() }
    attempt(.move) { try folder.move("name", to: "other") }
    attempt(.remove) { try folder.remove("other") }
    // The remaining steps fail in other tests: those of replaced files and of mapped pages.
    #expect(failed.contains(step) || [.create, .write, .sync, .rename, .map, .room].contains(step))
  }

  @Test("A folder and those above it are made for their owner")
  func make() throws {
    let folder = PrivateFolder(drawer.file("one/two/three"))
    try folder.make()
    try folder.make()
    for name in ["one", "one/two", "one/two/three"] {
      let facts = try FileManager.default.attributesOfItem(atPath: drawer.file(name).path)
      #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    }
    try Data().write(to: url)
    #expect(throws: FileError.self) { try PrivateFolder(url).make() }
    #expect(throws: FileError.self) { try PrivateFolder(url.appending(path: "below")).make() }
    #expect(try folder.entry("nothing") == nil)
    try folder.remove("nothing")
    try PrivateFolder(drawer.url).remove("one/two/three")
    #expect(try PrivateFolder(drawer.url).entry("one/two") == .folder)
  }

  @Test("A folder is removed with all that is in it, but not what its links name")
  func removeFolder() throws {
    var deep = drawer.file("folder")
    for _ in 0..<200 { deep.append(path: "f") }
    try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
    for (number, obstacle) in Obstacle.allCases.enumerated() {
      try obstacle.make(at: deep.appending(path: "\(number)"), in: drawer)
    }
    // A name need not be UTF-8.
    #expect(creat(deep.path + "/\u{E9}", 0o600) >= 0)
    let bytes = Array(deep.path.utf8) + Array("/".utf8) + [0xFF, 0xFE, 0]
    #expect(
      bytes.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer {
        guard let path = $0.baseAddress else { return false }
        return mkdir(path, 0o700) == 0
      })
    let folder = PrivateFolder(drawer.url)
    try folder.remove("folder")
    #expect(try folder.entry("folder") == nil)
    #expect(try Data(contentsOf: drawer.file("victim")) == Data("precious".utf8))
  }

  @Test("A folder whose entry may not be removed is an error that says why")
  func removeRefused() async throws {
    let inner = drawer.file("folder/inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    try Data("kept".utf8).write(to: inner.appending(path: "file"))
    chmod(inner.path, 0o555)
    defer { chmod(inner.path, 0o755) }
    await #expect(processExitsWith: .success) { [path = drawer.url.path as String] in
      // CI may run as root, which can write everywhere. So this process changes to the user
      // `nobody`.
      if geteuid() == 0 { try #require(seteuid(65_534) == 0) }
      do throws(FileError) {
        try PrivateFolder(URL(filePath: path)).remove("folder")
        _exit(1)
      } catch {
        // The process exits at once, because the leak check needs rights that `nobody` does not
        // have.
        _exit(error.reason == .system(EACCES) ? 0 : 2)
      }
    }
    #expect(try Data(contentsOf: inner.appending(path: "file")) == Data("kept".utf8))
  }
}
