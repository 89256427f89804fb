import Foundation
import LineageFiles
import LineageTestSupport
import Testing

@Suite("A file that is read")
struct InputFileTests {
  private let drawer: Drawer
  private let url: URL

  init() throws {
    drawer = try Drawer()
    url = drawer.file()
  }

  private func open(_ url: URL) throws -> InputFile {
    guard let file = try InputFile(url) else { throw Mishap("there is no \(url.path)") }
    return file
  }

  @Test("Its bytes are read from any place, as far as it goes")
  func places() throws {
    try Data(0..<100).write(to: url)
    let file = try open(url)
    #expect(file.length == 100)
    for (place, wanted, expected) in [
      (0, 100, 0..<100), (90, 20, 90..<100), (100, 5, 100..<100), (101, 5, 100..<100),
      (3, 4, 3..<7), (0, -1, 0..<0),
    ] {
      let bytes = try file.bytes(first: wanted, at: place)
      #expect(bytes == expected.map(UInt8.init))
    }
  }

  @Test("A file that was cut after it was opened gives what it has left")
  func cut() throws {
    try Data(0..<100).write(to: url)
    let file = try open(url)
    try #require(truncate(url.path, 10) == 0)
    let bytes = try file.bytes()
    #expect(bytes == Array(0..<10))
  }

  @Test("A file that is replaced while it is read is the old one to its end")
  func replaced() throws {
    try save("old", to: url)
    let file = try open(url)
    try save("the new one", to: url)
    #expect(file.length == 3)
    let bytes = try file.bytes(first: 100)
    #expect(bytes == Array("old".utf8))
  }

  @Test("Where there is no file there is none, also below a file and behind a dangling link")
  func missing() throws {
    #expect(try text(of: drawer.file("nothing")) == nil)
    #expect(try text(of: drawer.file("nowhere/graph")) == nil)
    try save("file", to: url)
    #expect(try text(of: url.appending(path: "below")) == nil)
    let link = drawer.file("link")
    try Obstacle.danglingLink.make(at: link, in: drawer)
    #expect(try text(of: link) == nil)
  }

  @Test(
    "What is no regular file is refused, and nothing waits for it", .hangGuard,
    arguments: [Obstacle.fifo, .fifoLink, .folder, .socket])
  func irregular(obstacle: Obstacle) throws {
    try obstacle.make(at: url, in: drawer)
    #expect(throws: FileError("open \(url.path)", .notRegularFile)) { try text(of: url) }
  }

  @Test("A loop of links is refused with the system's reason")
  func loop() throws {
    try Obstacle.loop.make(at: url, in: drawer)
    #expect(throws: FileError("open \(url.path)", .system(ELOOP))) { try text(of: url) }
  }

  @Test("A device is refused", arguments: ["/dev/null", "/dev/zero"])
  func device(path: String) {
    #expect(throws: FileError("open \(path)", .notRegularFile)) {
      try text(of: URL(filePath: path))
    }
  }

  @Test(
    "A link is followed, or refused where none is followed",
    arguments: [Obstacle.link, .danglingLink, .fifoLink, .loop])
  func links(obstacle: Obstacle) throws {
    try obstacle.make(at: url, in: drawer)
    if obstacle == .link { #expect(try text(of: url) == "precious") }
    #expect(throws: FileError("open \(url.path)", .notRegularFile)) {
      try text(of: url, followsLinks: false)
    }
    #expect(try text(of: drawer.file("victim"), followsLinks: false) == "precious")
  }

  @Test("An error is a sentence that says what was attempted on what")
  func sentences() throws {
    let error = #expect(throws: FileError.self) { try text(of: URL(filePath: "/dev/null")) }
    #expect(error?.description == "could not open /dev/null: it is not a regular file")
    let page = try #require(URL(string: "https://example.org/graph"))
    let other = #expect(throws: FileError.self) { try text(of: page) }
    #expect(
      other?.description == "could not open https://example.org/graph: the URL names no file")
  }
}
