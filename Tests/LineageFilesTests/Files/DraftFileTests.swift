import Foundation
import LineageFiles
import LineageTestSupport
import Testing

@Suite("The draft of an atomic file")
struct DraftFileTests {
  private let drawer: Drawer
  private let url: URL

  init() throws {
    drawer = try Drawer()
    url = drawer.file()
  }

  @Test(
    "What has the draft's name is neither followed, nor written to, nor waited for",
    .hangGuard, arguments: Obstacle.allCases.filter { $0 != .folder })
  func plantedDraft(obstacle: Obstacle) throws {
    try save("old", to: url)
    try obstacle.make(at: drawer.file(".graph.saving"), in: drawer)
    try save("new", to: url)
    #expect(try text(of: url) == "new")
    #expect(try String(contentsOf: drawer.file("victim"), encoding: .utf8) == "precious")
    #expect(!FileManager.default.fileExists(atPath: drawer.file("nowhere").path))
    var status = stat()
    #expect(lstat(url.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
    #expect(status.st_nlink == 1)
    #expect(try !drawer.names.contains(".graph.saving"))
  }

  @Test("A draft that was left is removed by the next save")
  func leftDraft() throws {
    try Data("half".utf8).write(to: drawer.file(".graph.saving"))
    try save("new", to: url)
    #expect(try drawer.names == ["graph"])
  }

  @Test("A folder that has the draft's name is an error, and the old file is intact")
  func folder() throws {
    try save("old", to: url)
    let draft = drawer.file(".graph.saving").path
    try #require(mkdir(draft, 0o700) == 0)
    #expect(throws: FileError("open \(draft)", .notRegularFile)) { try save("new", to: url) }
    #expect(try text(of: url) == "old")
  }

  @Test(
    "A draft that another user has locked is an error, and is not waited for", .hangGuard,
    .enabled("root gives a file away") { geteuid() == 0 })
  func foreignDraft() throws {
    let draft = drawer.file(".graph.saving").path
    let descriptor = open(draft, O_RDWR | O_CREAT, 0o666)
    defer { close(descriptor) }
    try #require(fchown(descriptor, 65_534, 65_534) == 0 && flock(descriptor, LOCK_EX) == 0)
    #expect(throws: FileError("create \(draft)", .system(EWOULDBLOCK))) {
      try save("new", to: url)
    }
    #expect(try drawer.names == [".graph.saving"])
    // The lock is released, as if its owner had been killed.
    try #require(flock(descriptor, LOCK_UN) == 0)
    try save("next", to: url)
    #expect(try text(of: url) == "next")
    #expect(try drawer.names == ["graph"])
  }

  @Test("A draft that was removed while it was written does not replace the old file")
  func stolenDraft() throws {
    try save("old", to: url)
    let draft = drawer.file(".graph.saving")
    #expect(throws: FileError("rename \(draft.path)", .system(ENOENT))) {
      try save("new", to: url) { step in
        guard step == .sync else { return 0 }
        try? FileManager.default.removeItem(at: draft)
        try? Data("half".utf8).write(to: draft)
        return 0
      }
    }
    #expect(try text(of: url) == "old")
  }
}
