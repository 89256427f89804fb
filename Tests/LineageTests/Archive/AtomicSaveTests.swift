import Foundation
import Lineage
import LineageFiles
import LineageTestSupport
import Testing

@Suite("Saving a graph archive")
struct AtomicSaveTests {
  private let drawer: Drawer
  private let url: URL

  init() throws {
    drawer = try Drawer()
    url = drawer.file()
  }

  private func titles(_ url: URL? = nil) throws -> [String] {
    guard case .graph(let graph) = try GraphArchive.open(url ?? self.url, Music.entities) else {
      return ["not opened"]
    }
    return try graph.draft.fetch(Song.self).map(\.title)
  }

  /// Saves new songs. Their draft context exists only during the call.
  private static func save(
    _ count: Int, _ title: String, to url: URL, probe: @escaping (FileStep) -> Int32 = { _ in 0 }
  ) throws {
    let draft = try ObjectContext(draftOf: Music.entities)
    let songs = try (0..<count).map { try draft.insert(Song(title: "\(title) \($0)")) }
    try GraphArchive.save(songs, to: url, probe: probe)
  }

  @Test(
    "When a step fails, the error says why, and whether the old file is intact",
    arguments: FileStep.replacing, [ENOSPC, EROFS, EACCES, EIO])
  func failures(step: FileStep, number: Int32) throws {
    try Self.save(2, "old", to: url)
    #expect {
      try Self.save(3000, "new", to: url) { $0 == step ? number : 0 }
    } throws: { error in
      guard let error = error as? GraphError else { return false }
      let path = url.path
      guard error.attempted == "save the archive \(path)" else { return false }
      if case .full = error.reason { return number == ENOSPC && step != .syncFolder }
      if case .unsynced = error.reason {
        guard "\(error)".contains("the new file is in place"), step == .syncFolder else {
          return false
        }
      }
      return "\(error)".contains(String(cString: strerror(number)))
    }
    if step == .syncFolder {
      #expect(try titles().count == 3000)
    } else {
      #expect(try titles() == ["old 0", "old 1"])
    }
    #expect(try drawer.names == ["graph"])
  }

  @Test("A disk that is full after some writes leaves the old file")
  func lateFailure() throws {
    try Self.save(2, "old", to: url)
    for limit in 1..<6 {
      var writes = 0
      #expect(throws: GraphError.self) {
        try Self.save(9000, "new", to: url) { step in
          if step == .write { writes += 1 }
          return writes > limit ? ENOSPC : 0
        }
      }
      #expect(try titles() == ["old 0", "old 1"])
    }
  }

  @Test("A process killed at any step leaves the old archive or the new", arguments: 0..<26)
  func killed(step: Int) async throws {
    try Self.save(2, "old", to: url)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = url.path as String, step = step as Int] in
      var steps = 0
      try Self.save(3000, "new", to: URL(filePath: path)) { _ in
        steps += 1
        if steps > step { kill(getpid(), SIGKILL) }
        return 0
      }
      kill(getpid(), SIGKILL)
    }
    let found = try titles()
    #expect(found == ["old 0", "old 1"] || found.count == 3000)
    try Self.save(1, "next", to: url)
    #expect(try titles() == ["next 0"])
    #expect(try drawer.names == ["graph"])
  }

  @Test("A file system that takes no more bytes is an error, and the old file is intact")
  func full() async throws {
    try Self.save(2, "old", to: url)
    await #expect(processExitsWith: .success) { [path = url.path as String] in
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 8192, rlim_max: 8192)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      #expect {
        try Self.save(3000, "new", to: URL(filePath: path))
      } throws: { error in
        if case .full? = (error as? GraphError)?.reason { true } else { false }
      }
    }
    #expect(try titles() == ["old 0", "old 1"])
    #expect(try drawer.names == ["graph"])
  }

  @Test("A folder that is not there or takes no files is an error")
  func folders() throws {
    for path in ["\(drawer.url.path)/nowhere/graph", "/proc/graph"] {
      let message = "could not save the archive \(path): reading or writing failed"
      #expect {
        try Self.save(1, "new", to: URL(filePath: path))
      } throws: { "\($0)".contains(message) }
    }
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    #expect(throws: GraphError.self) { try Self.save(1, "new", to: url) }
    #expect(throws: GraphError.self) { try GraphArchive.open(url, Music.entities) }
    #expect(try drawer.names == ["graph"])
  }

  @Test("A folder that may not be written is an error") func readOnlyFolder() async throws {
    try Self.save(2, "old", to: url)
    let path = url.path
    chmod(drawer.url.path, 0o555)
    defer { chmod(drawer.url.path, 0o755) }
    await #expect(processExitsWith: .success) { [path = path as String] in
      // CI may run as root, which can write everywhere. So this process changes to the user
      // `nobody`.
      if geteuid() == 0 { try #require(seteuid(65_534) == 0) }
      do {
        try Self.save(1, "new", to: URL(filePath: path))
        _exit(1)
      } catch {
        // The process exits at once, because the leak check needs rights that `nobody` does not
        // have.
        _exit("\(error)".contains("Permission denied") ? 0 : 2)
      }
    }
    #expect(try titles() == ["old 0", "old 1"])
  }

  @Test("The file keeps its mode, and a link to it stays a link")
  func modes() throws {
    try Self.save(1, "old", to: url)
    chmod(url.path, 0o600)
    let link = drawer.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    try Self.save(1, "new", to: link)
    var status = stat()
    #expect(lstat(link.path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(url.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try titles() == ["new 0"])
  }

  @Test(
    "What is no regular file is neither opened nor replaced, and nothing waits for it",
    .hangGuard, arguments: [Obstacle.fifo, .fifoLink, .socket, .folder, .loop])
  func irregular(obstacle: Obstacle) throws {
    try obstacle.make(at: url, in: drawer)
    let names = try drawer.names
    var old = stat()
    try #require(lstat(url.path, &old) == 0)
    #expect {
      try GraphArchive.open(url, Music.entities)
    } throws: { "\($0)".contains("could not open the archive") }
    #expect {
      try Self.save(1, "new", to: url)
    } throws: { error in
      if case .inputOutput? = (error as? GraphError)?.reason { true } else { false }
    }
    var new = stat()
    #expect(lstat(url.path, &new) == 0 && new.st_ino == old.st_ino)
    #expect(try drawer.names == names)
  }

  @Test("A device is neither opened nor replaced", arguments: ["/dev/null", "/dev/zero"])
  func device(path: String) throws {
    #expect {
      try GraphArchive.open(URL(filePath: path), Music.entities)
    } throws: { "\($0)".contains("it is not a regular file") }
    #expect {
      try Self.save(1, "new", to: URL(filePath: path))
    } throws: { "\($0)".contains("it is not a regular file") }
  }

  @Test("Several processes that save at once each leave a whole archive", .hangGuard)
  func processes() async throws {
    try Self.save(1, "first", to: url)
    try Obstacle.link.make(at: drawer.file(".graph.saving"), in: drawer)
    let path = url.path
    async let one: Void = Self.saveElsewhere(to: path)
    async let other: Void = Self.saveElsewhere(to: path)
    for _ in 0..<60 {
      try Self.save(200, "mine", to: url)
      #expect(try titles().count >= 200)
    }
    _ = await (one, other)
    #expect(try titles().count >= 200)
    #expect(try drawer.names == ["graph", "victim"])
    #expect(try String(contentsOf: drawer.file("victim"), encoding: .utf8) == "precious")
  }

  /// Saves many times in a separate process.
  private static func saveElsewhere(to path: String) async {
    await #expect(processExitsWith: .success) { [path = path as String] in
      for _ in 0..<60 { try Self.save(300, "theirs", to: URL(filePath: path)) }
    }
  }

  @Test("Several who save at once each leave a whole archive")
  func together() async throws {
    let url = url
    try Self.save(1, "first", to: url)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for _ in 0..<20 { try Self.save(10 + writer, "\(writer)", to: url) }
        }
      }
      group.addTask {
        for _ in 0..<40 {
          guard case .graph = try GraphArchive.open(url, Music.entities) else {
            Issue.record("half an archive")
            return
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try titles().count >= 10)
    #expect(try drawer.names == ["graph"])
  }
}
