import Foundation
import LineageFiles
import LineageTestSupport
import Testing

@Suite("A file that is replaced whole or not at all")
struct AtomicFileTests {
  private let drawer: Drawer
  private let url: URL
  private let draft: URL

  init() throws {
    drawer = try Drawer()
    url = drawer.file()
    draft = drawer.file(".graph.saving")
  }

  private func mode(_ url: URL) throws -> mode_t { try status(of: url).st_mode & 0o7777 }

  @Test("The old file is there until the new one is whole, whatever the order of its writes")
  func order() throws {
    try save("a longer old text", to: url)
    let file = try AtomicFile(replacing: url)
    try file.write(Array("world".utf8).span, at: 6)
    try file.write(Array("hello ".utf8).span, at: 0)
    #expect(try text(of: url) == "a longer old text")
    #expect(try drawer.names == [".graph.saving", "graph"])
    try file.commit()
    #expect(try text(of: url) == "hello world")
    #expect(try drawer.names == ["graph"])
  }

  @Test("One that is given up leaves nothing, with and without an old file")
  func givenUp() throws {
    for old in [nil, "old"] {
      if let old { try save(old, to: url) }
      try AtomicFile(replacing: url).write(Array("new".utf8).span, at: 0)
      #expect(try text(of: url) == old)
      #expect(try drawer.names == (old == nil ? [] : ["graph"]))
    }
  }

  @Test("Random texts in random parts are read as they were written")
  func roundTrips() throws {
    let seed = SplitMix64.seed(3)
    var random = SplitMix64(seed: seed)
    for round in 0..<30 {
      let bytes = (0..<random.below(5000)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let file = try AtomicFile(replacing: url)
      var ends = (0..<random.below(5)).map { _ in random.below(bytes.count + 1) }.sorted()
      ends.append(bytes.count)
      for (start, end) in zip([0] + ends, ends).shuffled(using: &random) {
        try file.write(Array(bytes[start..<end]).span, at: start)
      }
      try file.commit()
      #expect(try Data(contentsOf: url) == Data(bytes), "seed \(seed), round \(round)")
    }
  }

  // MARK: Failures

  @Test(
    "When a step fails, the error says which on which file, and the old file is intact",
    arguments: FileStep.replacing, [ENOSPC, EROFS, EACCES, EIO])
  func failures(step: FileStep, number: Int32) throws {
    try save("old", to: url)
    let error = #expect(throws: FileError.self) {
      try save("new", to: url) { $0 == step ? number : 0 }
    }
    let attempted =
      switch step {
      case .create: "create \(draft.path)"
      case .inspect: "inspect \(url.path)"
      case .write: "write \(draft.path)"
      case .sync: "sync \(draft.path)"
      case .rename: "rename \(draft.path)"
      default: "replace \(url.path)"
      }
    #expect(error?.attempted == attempted)
    #expect(error?.reason == (step == .syncFolder ? .unsynced(number) : .system(number)))
    #expect(error?.description.contains(String(cString: strerror(number))) == true)
    #expect(try text(of: url) == (step == .syncFolder ? "new" : "old"))
    #expect(try drawer.names == ["graph"])
  }

  @Test("An error is a sentence that says what was attempted on what")
  func sentences() throws {
    func sentence(_ url: URL, probe: @escaping FileStep.Probe = { _ in 0 }) -> String? {
      #expect(throws: FileError.self) { try save("new", to: url, probe: probe) }?.description
    }
    #expect(
      sentence(drawer.file("nowhere/graph"))
        == "could not create \(drawer.url.path)/nowhere/.graph.saving: No such file or directory")
    #expect(
      sentence(url) { $0 == .syncFolder ? EIO : 0 }
        == "could not replace \(url.path): the new file is in place, but its folder could not be"
        + " written to the disk (Input/output error)")
    let page = try #require(URL(string: "https://example.org/graph"))
    #expect(
      sentence(page) == "could not replace https://example.org/graph: the URL names no file")
    #expect(
      sentence(URL(filePath: "/dev/null"))
        == "could not replace /dev/null: it is not a regular file")
    try save("file", to: url)
    #expect(
      sentence(url.appending(path: "below"))
        == "could not create \(url.path)/.below.saving: Not a directory")
  }

  @Test(
    "What is no regular file is not replaced, nor what a link to it names", .hangGuard,
    arguments: [Obstacle.fifo, .socket, .folder, .fifoLink, .loop])
  func irregular(obstacle: Obstacle) throws {
    try obstacle.make(at: url, in: drawer)
    let old = try status(of: url)
    let names = try drawer.names
    let target = obstacle == .fifoLink ? drawer.file("pipe") : url
    #expect(
      throws: obstacle == .loop
        ? FileError("inspect \(url.path)", .system(ELOOP))
        : FileError("replace \(target.path)", .notRegularFile)
    ) {
      try save("new", to: url)
    }
    if ![.fifoLink, .loop].contains(obstacle) {
      #expect(throws: FileError("replace \(url.path)", .notRegularFile)) {
        try save("new", to: url, FileOptions(followsLinks: false))
      }
    }
    #expect(try status(of: url).st_ino == old.st_ino)
    #expect(try drawer.names == names)
  }

  @Test("A folder that may not be written is an error") func readOnlyFolder() async throws {
    try save("old", to: url)
    chmod(drawer.url.path, 0o555)
    defer { chmod(drawer.url.path, 0o755) }
    await #expect(processExitsWith: .success) { [path = url.path as String] in
      // CI may run as root, which can write everywhere. So this process changes to the user
      // `nobody`.
      if geteuid() == 0 { try #require(seteuid(65_534) == 0) }
      do throws(FileError) {
        try save("new", to: URL(filePath: path))
        _exit(1)
      } catch {
        // The process exits at once, because the leak check needs rights that `nobody` does not
        // have.
        _exit(error.reason == .system(EACCES) ? 0 : 2)
      }
    }
    #expect(try text(of: url) == "old")
    #expect(try drawer.names == ["graph"])
  }

  @Test("A file system that takes no more bytes is an error, and the old file is intact")
  func full() async throws {
    try save("old", to: url)
    await #expect(processExitsWith: .success) { [path = url.path as String] in
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 8192, rlim_max: 8192)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let error = #expect(throws: FileError.self) {
        try save(String(repeating: "new", count: 9000), to: URL(filePath: path))
      }
      #expect(error?.reason == .system(EFBIG))
    }
    #expect(try text(of: url) == "old")
    #expect(try drawer.names == ["graph"])
  }

  @Test("A process killed at any step leaves the old file or the new", arguments: 0..<20)
  func killed(step: Int) async throws {
    try save("old", to: url)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = url.path as String, step = step as Int] in
      var steps = 0
      try save("new", to: URL(filePath: path)) { _ in
        steps += 1
        if steps > step { kill(getpid(), SIGKILL) }
        return 0
      }
      kill(getpid(), SIGKILL)
    }
    let found = try text(of: url)
    #expect(found == "old" || found == "new")
    try save("next", to: url)
    #expect(try text(of: url) == "next")
    #expect(try drawer.names == ["graph"])
  }

  // MARK: Links

  @Test("A link that is followed stays, and the file that it names is replaced")
  func followedLink() throws {
    try Obstacle.link.make(at: url, in: drawer)
    try save("new", to: url)
    #expect(try status(of: url).st_mode & S_IFMT == S_IFLNK)
    #expect(try text(of: drawer.file("victim")) == "new")
    #expect(try drawer.names == ["graph", "victim"])
  }

  @Test("A link that names nothing is replaced, also where links are followed")
  func danglingLink() throws {
    try Obstacle.danglingLink.make(at: url, in: drawer)
    try save("new", to: url)
    #expect(try text(of: url, followsLinks: false) == "new")
    #expect(try drawer.names == ["graph", "victim"])
  }

  @Test(
    "Where none is followed, the file takes the place of the link, and what that names stays",
    arguments: [Obstacle.link, .danglingLink, .fifoLink, .loop])
  func replacedLink(obstacle: Obstacle) throws {
    try obstacle.make(at: url, in: drawer)
    let names = try drawer.names
    try save("new", to: url, FileOptions(followsLinks: false))
    #expect(try text(of: url, followsLinks: false) == "new")
    #expect(try text(of: drawer.file("victim")) == "precious")
    #expect(try drawer.names == names)
  }

  @Test("Of a file with two names, only the one that is given is replaced")
  func hardLink() throws {
    try Obstacle.hardLink.make(at: url, in: drawer)
    try save("new", to: url)
    #expect(try text(of: url) == "new")
    #expect(try text(of: drawer.file("victim")) == "precious")
  }

  // MARK: Modes

  @Test("The mode of the old file is kept", arguments: [0o600, 0o644, 0o640, 0o400] as [mode_t])
  func keptMode(mode: mode_t) throws {
    try save("old", to: url)
    chmod(url.path, mode)
    try save("new", to: url)
    #expect(try self.mode(url) == mode)
  }

  @Test("A given mode is the file's, whatever the old file's mode and the process's mask are")
  func givenMode() async throws {
    try save("old", to: url)
    chmod(url.path, 0o644)
    try save("new", to: url, FileOptions(mode: 0o600))
    #expect(try mode(url) == 0o600)
    await #expect(processExitsWith: .success) { [path = drawer.url.path as String] in
      umask(0o077)
      try save("new", to: URL(filePath: path + "/wide"), FileOptions(mode: 0o644))
      try save("new", to: URL(filePath: path + "/masked"))
      umask(0)
      try save("new", to: URL(filePath: path + "/private"), FileOptions(mode: 0o600))
    }
    #expect(try mode(drawer.file("wide")) == 0o644)
    #expect(try mode(drawer.file("masked")) == 0o600)
    #expect(try mode(drawer.file("private")) == 0o600)
  }

  @Test("No other user can read the draft of a private file at any step")
  func privateDraft() throws {
    let draft = draft
    var looks = 0
    try save("new", to: url, FileOptions(mode: 0o600)) { _ in
      var status = stat()
      if lstat(draft.path, &status) == 0 {
        looks += 1
        #expect(status.st_mode & 0o777 == 0o600)
      }
      return 0
    }
    #expect(looks > 3)
  }

  @Test("A link that is replaced does not give its target's mode")
  func linkMode() throws {
    try Obstacle.link.make(at: url, in: drawer)
    chmod(drawer.file("victim").path, 0o666)
    try save("new", to: url, FileOptions(mode: 0o600, followsLinks: false))
    #expect(try mode(url) == 0o600)
    #expect(try mode(drawer.file("victim")) == 0o666)
  }

  // MARK: Together

  @Test("Several that are replaced at once are each whole", .hangGuard)
  func together() async throws {
    let url = url
    try save("old", to: url)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for round in 0..<40 {
            try save(String(repeating: "\(writer)", count: 1000 + round), to: url)
          }
        }
      }
      group.addTask {
        for _ in 0..<80 {
          let text = try text(of: url) ?? ""
          #expect(text == "old" || text.count >= 1000 && Set(text).count == 1)
        }
      }
      try await group.waitForAll()
    }
    #expect(try drawer.names == ["graph"])
  }
}
