import FlashCardsApp
import Foundation
import LineageTerminal
import LineageTestSupport
import Testing

@Suite("Recordings", .hangGuard)
struct RecordingTests {
  let drawer: Drawer
  var file: URL { drawer.file("recording") }

  init() throws { drawer = try Drawer() }

  private static let texts = [
    "a", "hello", "  ", "é", "e\u{301}", "日本語", "한국", "👩‍👩‍👧‍👦", "🇩🇪", "🇩", "❤️", "…", "क्षि",
    "\u{1b}[2J", "\u{202e}abc", "</svg><script>alert(1)</script>", "&amp;", "]]>", "<\u{338}",
    "&\u{301}amp", "\u{fffe}", "\"'\\/",
  ]

  private static func frame(_ random: inout SplitMix64, _ width: Int, _ height: Int) -> Frame {
    var frame = Frame(width: width, height: height)
    for _ in 0..<random.below(12) {
      let style = random.pick([Style.plain, .bold, .dim, .underline, .reverse, .bad])
      let (row, column) = (random.below(height), random.below(width))
      frame.write(random.pick(texts) + random.pick(texts), row: row, column: column, style: style)
    }
    return frame
  }

  /// Returns the frames that a recording shows.
  private func frames(of lines: [Recording.Line]) -> [Frame] {
    var frame = Frame(width: 1, height: 1)
    return lines.compactMap { line in
      frame.show(line)
      if case .frame = line { return frame }
      return nil
    }
  }

  /// Returns the times of the frames of a recording.
  private func times(of lines: [Recording.Line]) -> [Double] {
    lines.compactMap { if case .frame(let time, _) = $0 { time } else { nil } }
  }

  /// Records some frames, one in each tenth of a second.
  private func record(_ frames: [Frame], isKilled: Bool = false) throws {
    let recording = try Recording(file)
    for (number, frame) in frames.enumerated() {
      recording.append(frame, at: recording.start.advanced(by: .milliseconds(100 * number)))
    }
    if !isKilled { recording.end() }
  }

  private func svg() throws -> String { try Movie(Recording.read(file)).svg() }

  @Test("A recording shows the same frames at the same times, with a reversed cell as the cursor")
  func sameFrames() throws {
    let seed = SplitMix64.seed(1)
    var random = SplitMix64(seed: seed)
    for round in 0..<rounds(400) {
      let file = drawer.file("\(round)")
      let recording = try Recording(file)
      var (width, height) = (random.below(12) + 1, random.below(4) + 1)
      var (wanted, times) = ([Frame](), [Double]())
      for step in 0..<10 {
        if random.chance(20) { (width, height) = (random.below(12) + 1, random.below(4) + 1) }
        var shown = Self.frame(&random, width, height)
        var drawn = shown
        if random.chance(50) {
          let (row, column) = (random.below(height), random.below(width))
          let character = shown.cells[row * width + column].character
          shown.placeCursor(row: row, column: column)
          drawn.write("\(character)", row: row, column: column, style: .reverse)
        }
        recording.append(shown, at: recording.start.advanced(by: .milliseconds(step)))
        guard drawn != wanted.last else { continue }  // nothing new is seen
        wanted.append(drawn)
        times.append(Double(step) / 1000)
      }
      let lines = try Recording.read(file)
      let found = frames(of: lines)
      #expect(found == wanted, "seed \(seed), round \(round)")
      #expect(self.times(of: lines) == times)
    }
  }

  @Test("A run in a terminal is recorded as the terminal has shown it")
  func terminal() throws {
    let terminal = try PseudoTerminal(["--data", drawer.url.path, "--record", file.path])
    try terminal.waits(for: "a add a sample")
    terminal.type("a")
    try terminal.waits(for: "enter open")
    terminal.type("\rn")
    try terminal.waits(for: "New card")
    terminal.type("日本 👩‍👩‍👧‍👦?\r</svg>\r")
    try terminal.waits { $0.text.contains("</svg>") && $0.text.contains("0 wrong") }
    #expect(terminal.end(by: SIGTERM) == 0)
    // Each frame begins with hiding the cursor.
    let output = String(decoding: terminal.written, as: UTF8.self)
    var screen = Screen(width: 80, height: 24)
    let shown = output.components(separatedBy: "\u{1b}[?25l").dropFirst().map {
      screen.show($0.utf8)
      return screen.text
    }
    let lines = try Recording.read(file)
    #expect(frames(of: lines).map(\.text) == shown)
    #expect(times(of: lines) == times(of: lines).sorted())
    let rights = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect((rights as? NSNumber)?.intValue == 0o600)
    #expect(try Markup(svg()).texts.contains { $0.contains("</svg>") })
  }

  @Test("Between a killed run and the next one, the movie shows the killing")
  func killed() throws {
    let arguments = ["--data", drawer.url.path, "--record", file.path]
    let first = try PseudoTerminal(arguments)
    try first.waits(for: "a add a sample")
    first.type("nhalf")
    try first.waits(for: "half")
    first.end(by: SIGKILL)
    var lines = try Recording.read(file)
    #expect(!lines.contains { if case .end = $0 { true } else { false } })
    let second = try PseudoTerminal(arguments)
    try second.waits { $0.text.contains("eck") && !$0.text.contains("Opening") }
    #expect(second.end(by: SIGTERM) == 0)
    lines = try Recording.read(file)
    #expect(lines.count { if case .run = $0 { true } else { false } } == 2)
    #expect(lines.count { if case .end = $0 { true } else { false } } == 1)
    #expect(try Markup(svg()).texts.count { $0.hasPrefix("kill") } == 1)
    // The second run has ended by itself.
    try record([Frame(width: 80, height: 24)])
    #expect(try Markup(svg()).texts.count { $0.hasPrefix("kill") } == 1)
  }

  @Test("A file that is cut anywhere has the lines before, and another run can follow")
  func cuts() throws {
    var random = SplitMix64(seed: 1)
    try record((0..<3).map { _ in Self.frame(&random, 8, 2) }, isKilled: true)
    let bytes = try Data(contentsOf: file)
    let all = try frames(of: Recording.read(file)).map(\.cells)
    var counts: Set<Int> = []
    for length in 0...bytes.count {
      try bytes.prefix(length).write(to: file)
      do {
        let cells = frames(of: try Recording.read(file)).map(\.cells)
        #expect(cells == Array(all.prefix(cells.count)))
        if counts.insert(cells.count).inserted { _ = try Markup(svg()) }
      } catch let error as Recording.Fault {
        // Not even the first line is whole.
        #expect(length < 40 && "\(error)".hasSuffix("recording is no recorded run"))
      }
      try record([Frame(width: 3, height: 1)])
      #expect(try !Recording.read(file).isEmpty)
      _ = try svg()
    }
    #expect(counts.count == all.count + 1)
  }

  @Test("Bytes of any kind are lines or an error, and any numbers have an SVG")
  func damage() throws {
    let seed = SplitMix64.seed(1)
    var random = SplitMix64(seed: seed)
    try record((0..<3).map { _ in Self.frame(&random, 8, 2) })
    let whole = try Data(contentsOf: file)
    for _ in 0..<rounds(2_000) {
      var bytes = whole
      for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
      try bytes.write(to: file)
      if let lines = try? Recording.read(file) { _ = try Markup(Movie(lines).svg()) }
    }
    for number in [Int.min, -1, 0, .max] {
      try Data(
        """
        {"run":{"height":\(number),"width":\(number == .max ? 3 : number)}}
        {"frame":{"texts":[{"cell":\(number),"style":7,"text":"x"}],"time":\(number)}}
        {"resize":{"height":2,"width":\(number == .max ? 3 : number)}}
        {"frame":{"texts":[{"cell":1,"style":7,"text":"\\u0000"}],"time":1e308}}
        """.utf8
      ).write(to: file)
      _ = try Markup(svg())
    }
  }

  @Test("Hostile texts stay texts in an SVG that has no script")
  func hostile() throws {
    var frames: [Frame] = []
    for text in Self.texts {
      var frame = Frame(width: 40, height: 1)
      frame.write(text, row: 0, column: 0, style: .bold)
      frames.append(frame)
    }
    try record(frames)
    let svg = try svg()
    let markup = try Markup(svg)
    #expect(markup.tags == ["svg", "style", "rect", "g", "text"])
    for text in ["&amp;", "]]>", "<\u{338}", "\"'\\/", "日本語", "</svg><script>alert(1)</script>"] {
      #expect(markup.texts.contains { Array($0.unicodeScalars) == Array(text.unicodeScalars) })
    }
    for scalar in ["\u{1b}", "\u{202e}", "\u{fffe}"] as [Unicode.Scalar] {
      #expect(!svg.unicodeScalars.contains(scalar))
    }
  }

  @Test("A long recording is an SVG of at most 200 KB, and a huge one is an error")
  func sizes() throws {
    var random = SplitMix64(seed: 1)
    let frames = (0..<rounds(4_000)).map { _ in Self.frame(&random, 80, 24) }
    try record(frames)
    let svg = try svg()
    #expect((20_000...200_000).contains(svg.utf8.count))
    let markup = try Markup(svg)
    #expect(markup.texts.contains { $0.contains("(prefers-color-scheme: dark)") })
    #expect(markup.texts.contains { $0.contains("(prefers-reduced-motion: reduce)") })
    var huge = Frame(width: 300, height: 100)
    for cell in stride(from: 0, to: huge.cells.count, by: 2) {
      huge.write("x", row: cell / 300, column: cell % 300)
    }
    try record([huge])
    let error = #expect(throws: Recording.Fault.self) { try self.svg() }
    #expect("\(error, default: "")".contains("too large"))
  }

  @Test("Wide characters take two columns of the SVG, and those of doubtful width stand alone")
  func columns() throws {
    var frame = Frame(width: 20, height: 2)
    frame.write("ab日本…c👍d", row: 1, column: 1)
    try record([frame])
    let svg = try svg()
    for (text, column, width) in [
      ("ab", 1, 2), ("日本", 3, 4), ("…", 7, 1), ("c", 8, 1), ("👍", 9, 2), ("d", 11, 1),
    ] {
      let place = "x=\"\(column * 9)\" y=\"20\" width=\"\(width * 9)\" height=\"20\""
      #expect(svg.contains("\(place)><rect/><text y=\"15\" textLength=\"\(width * 9)\">\(text)<"))
    }
  }

  @Test("Errors name the file and the problem")
  func errors() throws {
    func run(_ arguments: String...) throws -> (status: Int32, output: String) {
      typealias Program = LineageTestSupport.FlashCards
      let result = try ChildProcess.run(Program.program, arguments, Program.variables)
      return (result.status, result.output)
    }
    try record([Frame(width: 3, height: 1)])
    let none = drawer.file("none").path
    for (text, problem) in [
      ("", "no recorded run"), ("hello\n", "no recorded run"), ("hello\nhello\n", "damaged"),
      ("{\"run\":{\"height\":1,\"width\":1}}\n{\n{\"end\":{}}\n", "damaged after 1 lines"),
    ] {
      let bad = drawer.file("bad")
      try Data(text.utf8).write(to: bad)
      let result = try run("--svg", file.path, bad.path)
      #expect(result.status == 1 && result.output.hasPrefix("flashcards: \(bad.path) is "))
      #expect(result.output.contains(problem), "\(result.output)")
    }
    let missing = try run("--svg", none)
    #expect(missing.status == 1 && missing.output == "flashcards: \(none) cannot be read\n")
    #expect(try run("--svg").status == 2)
    let good = try run("--svg", file.path, file.path)
    #expect(good.status == 0 && good.output.hasPrefix("<svg "))
    let terminal = try PseudoTerminal(["--data", drawer.url.path, "--record", none + "/none"])
    #expect(terminal.end() == 1)
    #expect(String(decoding: terminal.written, as: UTF8.self).contains("cannot be written"))
  }
}
