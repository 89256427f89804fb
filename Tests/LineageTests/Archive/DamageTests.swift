import Foundation
import Lineage
import LineageTestSupport
import Testing

/// An entity with few properties, whose archives are short.
private struct Mark: Entity {
  var name = ""
  var next: Ref<Mark>?

  static let schema = Schema<Mark>("Mark") {
    Attribute("name", \.name)
    ToOne("next", \.next)
  }
}

@Suite("A damaged graph archive")
struct DamageTests {
  private let drawer: Drawer
  private let data: Data

  init() throws {
    drawer = try Drawer()
    let draft = try ObjectContext(draftOf: Music.entities)
    let album = try Music.album(songs: 2, in: draft)
    album.songs[0].lyrics = "la la"
    album.songs[1].hints = ["one"]
    try GraphArchive.save([album], to: drawer.file())
    data = try Data(contentsOf: drawer.file())
  }

  private func open(
    _ data: Data, _ entities: [any Entity.Type] = Music.entities
  ) throws -> GraphArchive.OpenResult {
    let url = drawer.file("changed")
    try data.write(to: url)
    return try GraphArchive.open(url, entities)
  }

  private func problem(
    _ data: Data, _ entities: [any Entity.Type] = Music.entities
  ) throws -> String? {
    guard case .damaged(let damage) = try open(data, entities) else { return nil }
    return damage.problem
  }

  private static let changed = "its checksum is wrong, because it was changed or cut"

  private static let marks =
    [2] + ArchiveBytes.entity("Mark", "name", "next")
    + ArchiveBytes.entity("Other")
  private static let objects: [UInt8] =
    ArchiveBytes.object(5, [6] + ArchiveBytes.text("a"), [1, 7])
    + ArchiveBytes.object(7, [6] + ArchiveBytes.text("日本"), [0]) + ArchiveBytes.end

  @Test("The file is what the format's description says")
  func format() throws {
    #expect(ArchiveBytes.checksum(Array("123456789".utf8)) == 0xE306_9283)
    #expect(ArchiveBytes(data).data == data)
    let content =
      [1] + ArchiveBytes.entity("Mark", "name", "next") + Self.objects + [1, 0]
      + ArchiveBytes.bytes(7, 8)
    let draft = try ObjectContext(draftOf: [Mark.self])
    let last = Object(Mark(name: "日本"), id: Ref(key: 7))
    try draft.insert(last)
    try draft.insert(Object(Mark(name: "a", next: last.id), id: Ref(key: 5)))
    let first = try #require(try draft.fetch(Mark.self).first)
    let url = drawer.file("marks")
    try GraphArchive.save([last], to: url)
    let alone =
      [1] + ArchiveBytes.entity("Mark", "name", "next") + Self.objects.dropFirst(13) + [1, 0]
      + ArchiveBytes.bytes(7, 8)
    #expect(try Data(contentsOf: url) == ArchiveBytes(alone).data)
    try GraphArchive.save([last, first], to: url)
    let roots: [UInt8] = [2, 0] + ArchiveBytes.bytes(7, 8) + [0] + ArchiveBytes.bytes(5, 8)
    #expect(try Data(contentsOf: url) == ArchiveBytes(content.dropLast(10) + roots).data)
    guard case .graph(let graph) = try open(ArchiveBytes(content).data, [Mark.self]) else {
      Issue.record("\(try open(ArchiveBytes(content).data, [Mark.self]))")
      return
    }
    #expect(graph.roots.map(\.reference) == ["Mark/7"])
    #expect(try graph.draft.values(Mark.self).map(\.name) == ["a", "日本"])
    #expect(try graph.draft.fetch(Mark.self).first?.next === graph.roots.first)
  }

  @Test("Each cut is told")
  func cuts() throws {
    for count in 0..<data.count {
      let problem = try #require(try problem(data.prefix(count)), "cut at \(count)")
      switch count {
      case 0: #expect(problem == "it is empty")
      case ..<16: #expect(problem == "it is not a graph archive")
      // The preamble alone ends with a right checksum.
      case 16: #expect(problem.hasPrefix("it ends"))
      default: #expect(problem == Self.changed)
      }
    }
  }

  @Test("Each flipped bit is told")
  func flips() throws {
    let data = ArchiveBytes(Self.marks + Self.objects + ArchiveBytes.end + [0]).data
    #expect(try problem(data, [Mark.self]) == nil)
    for place in data.indices {
      for bit in 0..<8 {
        var flipped = data
        flipped[place] ^= 1 << bit
        let problem = try #require(try problem(flipped, [Mark.self]), "byte \(place), bit \(bit)")
        #expect(problem == (place < 16 ? "it is not a graph archive" : Self.changed))
      }
    }
  }

  @Test("A file that is longer or something else is told")
  func others() throws {
    #expect(try problem(data + [0]) == Self.changed)
    #expect(try problem(data + data) == Self.changed)
    let other = Data("{}".utf8 + [UInt8](repeating: 32, count: 64))
    #expect(try problem(other) == "it is not a graph archive")
    guard case .damaged(let damage) = try open(Data()) else {
      Issue.record("something opened")
      return
    }
    #expect("\(damage)" == "the archive is damaged: it is empty")
  }

  /// Contents that no program has saved, with their problems.
  private static let forgeries: [(content: [UInt8], problem: String)] = {
    let huge = [UInt8](repeating: 0xFF, count: 7) + [0x7F]
    let no = ArchiveBytes.end
    let five = ArchiveBytes.object(5, [0], [0])
    let end = "it ends in the middle of something at its byte"
    return [
      ([], end),
      (huge, end),
      ([UInt8](repeating: 0xFF, count: 9), "is absurd"),
      ([1] + huge, end),
      ([1, 4] + Array("Mark".utf8) + huge, end),
      ([2] + ArchiveBytes.entity("Mark") + ArchiveBytes.entity("Mark"), "two entities are named"),
      (marks + five + five, "Mark/5 does not belong after Mark/5"),
      (marks + ArchiveBytes.object(-5, [0], [0]), "Mark/-5 does not belong after Mark/0"),
      (marks + ArchiveBytes.object(5, [8]), "no value begins with 8"),
      (marks + ArchiveBytes.object(5, [6] + huge), "a value is too long"),
      (marks + ArchiveBytes.object(5, [7, 100, 1, 2]), end),
      (marks + five, end),
      (marks + objects, end),
      (marks + objects + no + huge, end),
      (marks + objects + no + [1, 2] + ArchiveBytes.bytes(5, 8), "a root is of no entity"),
      (marks + objects + no + [1, 0] + ArchiveBytes.bytes(6, 8), "Mark/6 is not in the archive"),
      (marks + objects + no + [0, 0], "it goes on after its byte"),
    ]
  }()

  @Test("Each contradiction under a right checksum is told", arguments: Self.forgeries.indices)
  func forged(_ index: Int) throws {
    let (content, expected) = Self.forgeries[index]
    let problem = try #require(try problem(ArchiveBytes(content).data, [Mark.self]))
    #expect(problem.contains(expected))
  }

  @Test(
    "Any nonsense under a right checksum is a graph or told, and never a trap", arguments: 0..<8)
  func nonsense(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for step in 0..<400 {
      var changed = ArchiveBytes(data)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = changed.content.indices.randomElement(using: &random) ?? 0
        let later = changed.content.indices[place...].prefix(40).randomElement(using: &random) ?? 0
        let byte =
          [0, 1, 6, 255, UInt8.random(in: 0...255, using: &random)]
          .randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<5, using: &random) {
        case 0: changed.content.removeSubrange(place..<later)
        case 1: changed.content.insert(contentsOf: changed.content[place..<later], at: place)
        case 2: changed.content.insert(byte, at: place)
        default: changed.content[place] = byte
        }
      }
      switch try open(changed.data) {
      case .graph(let graph): _ = try graph.draft.fetch(Song.self)
      case .damaged(let damage): #expect(!damage.problem.isEmpty)
      case .none, .otherFormat: Issue.record("seed \(seed), step \(step)")
      }
    }
  }

  @Test("A file that is larger than the memory is not read")
  func giant() throws {
    let url = drawer.file("giant")
    try data.write(to: url)
    try #require(truncate(url.path, 1 << 43) == 0)
    #expect {
      try GraphArchive.open(url, Music.entities)
    } throws: {
      "\($0)".contains("could not open the archive \(url.path): reading or writing failed")
    }
  }

  @Test("An archive of an older or newer format is neither read nor replaced", arguments: [1, 3])
  func otherFormats(format: Int) throws {
    var bytes = ArchiveBytes(data)
    bytes.format = format
    let url = drawer.file("changed")
    // Only the preamble is the same in all formats.
    for file in [bytes.data, bytes.data.prefix(16), bytes.data.prefix(20)] {
      guard case .otherFormat(format) = try open(file) else {
        Issue.record("\(try open(file))")
        return
      }
      let song = try ObjectContext(draftOf: Music.entities).insert(Song())
      #expect {
        try GraphArchive.save([song], to: url)
      } throws: { error in
        guard case .otherArchive(format)? = (error as? GraphError)?.reason else { return false }
        return "\(error)".contains(url.path) && "\(error)".contains("(format \(format))")
      }
      #expect(try Data(contentsOf: url) == file)
    }
  }
}
