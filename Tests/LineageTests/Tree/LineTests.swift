import Foundation
import Lineage
import LineageTestSupport
import Testing

@Suite("A program on standard input", .hangGuard)
struct LineTests {
  @Test("Lines are returned as they are, and letters are applied meanwhile")
  func lines() async throws {
    let (application, pipe) = (Application(), Pipe())
    var (read, letters): ([String], [Int]) = ([], [])
    let long = String(repeating: "x", count: 200_000)
    pipe.fileHandleForWriting.write(Data("first\n".utf8))
    let writer = Thread {
      for text in ["one\ntw", "o\r\n\n", long, "\nthe last"] {
        pipe.fileHandleForWriting.write(Data(text.utf8))
      }
      try? pipe.fileHandleForWriting.close()
    }
    for await line in application.lines(of: pipe.fileHandleForReading) {
      if read.isEmpty { writer.start() }
      read.append(line)
      application.mailbox.post { _ in }
      letters.append(application.mailbox.count)
      if read.count == 1 { #expect(line == "first") }
    }
    #expect(read == ["first", "one", "two", "", long, "the last"])
    #expect(letters.allSatisfy { $0 >= 1 })
  }

  @Test("One sequence may have several loops; a closed file is an end")
  func loops() async throws {
    let (application, pipe) = (Application(), Pipe())
    pipe.fileHandleForWriting.write(Data("one\r\ntwo\nthree".utf8))
    try pipe.fileHandleForWriting.close()
    let lines = application.lines(of: pipe.fileHandleForReading)
    var read: [String] = []
    for await line in lines {
      read.append(line)
      if line == "one" { break }
    }
    for await line in lines { read.append(line) }
    for await _ in lines { Issue.record("a line after the end") }
    #expect(read == ["one", "two", "three"])
    let folder = try FileHandle(forReadingFrom: FileManager.default.temporaryDirectory)
    for await _ in application.lines(of: folder) { Issue.record("a folder has no lines") }
  }

  @Test("What the body of the loop changes is drawn before the next line")
  func drawing() async throws {
    let (application, pipe) = (Application(), Pipe())
    var (shown, drawn): ([String], [[String]]) = ([], [])
    application.onTurn { _ in if drawn.last != shown { drawn.append(shown) } }
    pipe.fileHandleForWriting.write(Data("one\ntwo\nthree\n".utf8))
    try pipe.fileHandleForWriting.close()
    for await line in application.lines(of: pipe.fileHandleForReading) { shown.append(line) }
    #expect(drawn == [[], ["one"], ["one", "two"], ["one", "two", "three"]])
  }

  @Test("A load arrives while nobody types; the loop ends with the application")
  func waiting() async throws {
    struct Ready: Context, Equatable, Sendable {}
    let (application, pipe) = (Application(), Pipe())
    application.onChange(of: Ready.self) { application, ready in
      guard ready.value != nil else { return }
      pipe.fileHandleForWriting.write(Data("go\nquit\nnever\n".utf8))
    }
    application.load(Ready.self) { Ready() }
    var read: [String] = []
    for await line in application.lines(of: pipe.fileHandleForReading) {
      read.append(line)
      if line == "quit" { application.terminate() }
    }
    #expect(read == ["go", "quit"])
  }
}
