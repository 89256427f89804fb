import Foundation
import Lineage
import LineageTestSupport
import Testing

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

  private func open(_ data: Data) throws -> GraphArchive.OpenResult {
    let url = drawer.file("changed")
    try data.write(to: url)
    return try GraphArchive.open(url, Music.entities)
  }

  private func damage(_ data: Data) throws -> GraphArchive.Damage? {
    guard case .damaged(let damage) = try open(data) else { return nil }
    return damage
  }

  @Test("The file is what the format's description says")
  func format() throws {
    #expect(ArchiveBytes.checksum(Array("123456789".utf8)) == 0xE306_9283)
    #expect(ArchiveBytes(data).data == data)
    #expect(ArchiveBytes(data).sections.map(\.head[0]) == [1, 2, 2, 2, 3])
  }

  @Test("Each cut is told")
  func cuts() throws {
    for count in 0..<data.count {
      let damage = try #require(try damage(data.prefix(count)), "cut at \(count)")
      if count == 0 { #expect(damage.problem == "the file is empty") }
      if count >= 32 {
        #expect(damage.problem == "it has \(count) bytes and should have \(data.count)")
      }
    }
  }

  @Test("Each changed byte is told, with the part of the file it is in")
  func flips() throws {
    for place in data.indices {
      for change: UInt8 in [0x01, 0x80, 0xFF] {
        var changed = data
        changed[place] ^= change
        let damage = try #require(try damage(changed), "byte \(place) ^ \(change)")
        #expect(damage.offset <= place)
        switch place {
        case ..<16: #expect(damage.part == "preamble")
        case ..<32: #expect(damage.part == "totals")
        default: #expect(damage.part.hasPrefix("section "))
        }
      }
    }
  }

  @Test("A file that is longer, empty, or something else is told")
  func others() throws {
    #expect(try damage(data + [0]) != nil)
    #expect(
      try damage(Data("{}".utf8 + [UInt8](repeating: 32, count: 64)))?.problem
        == "it is not a graph archive")
    let damage = try #require(try damage(Data()))
    #expect("\(damage)" == "the archive is damaged: preamble, byte 0: the file is empty")
  }

  @Test("Sections that changed places, are missing or twice are told")
  func sections() throws {
    let parts = ArchiveBytes(data)
    let raw = [UInt8](data)
    // The sections 1 and 3 have objects of different entities. Two sections of songs could be
    // equal.
    var changed = parts
    changed.sections.swapAt(1, 3)
    #expect(try damage(changed.data) == nil, "the order of entities is not part of the format")
    for place in parts.sections.indices {
      var without = parts
      without.sections.remove(at: place)
      #expect(try damage(without.data) != nil, "without section \(place)")
      var twice = parts
      twice.sections.insert(parts.sections[place], at: place)
      #expect(try damage(twice.data) != nil, "section \(place) twice")
    }
    let start = 32 + 24 + parts.sections[0].content.count
    let end = start + 24 + parts.sections[1].content.count
    let next = end + 24 + parts.sections[2].content.count
    let swapped = raw[..<start] + raw[end..<next] + raw[start..<end] + raw[next...]
    let damage = try #require(try damage(Data(swapped)))
    #expect(damage.part == "section 2 of 5")
    #expect(damage.problem == "its checksum is wrong")
  }

  @Test("Any nonsense under right checksums is a graph or told, and never a trap", arguments: 0..<8)
  func nonsense(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let parts = ArchiveBytes(data)
    for step in 0..<400 {
      var changed = parts
      let section = Int.random(in: parts.sections.indices, using: &random)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        if Bool.random(using: &random), !changed.sections[section].content.isEmpty {
          let place = changed.sections[section].content.indices.randomElement(using: &random) ?? 0
          changed.sections[section].content[place] = .random(in: 0...255, using: &random)
        } else {
          changed.sections[section].head[Int.random(in: 0..<12, using: &random)] =
            [0, 1, 2, 3, 4, 255].randomElement(using: &random) ?? 0
        }
      }
      if Int.random(in: 0..<4, using: &random) == 0 {
        changed.sections[section].content.removeLast(
          min(3, changed.sections[section].content.count))
      }
      switch try open(changed.data) {
      case .graph(let graph): _ = try graph.draft.fetch(Song.self)
      case .damaged(let damage): #expect(!damage.problem.isEmpty)
      case .none, .newer: Issue.record("seed \(seed), step \(step)")
      }
    }
  }

  @Test("A newer format is neither read nor overwritten")
  func newer() throws {
    var parts = ArchiveBytes(data)
    parts.preamble[8] = 2
    let url = drawer.file("changed")
    guard case .newer(format: 2) = try open(parts.data) else {
      Issue.record("\(try open(parts.data))")
      return
    }
    let song = try ObjectContext(draftOf: Music.entities).insert(Song())
    #expect {
      try GraphArchive.save([song], to: url)
    } throws: { "\($0)".contains("newer") }
    #expect(try Data(contentsOf: url) == parts.data)
    try parts.data.prefix(20).write(to: url)
    guard case .newer(format: 2) = try GraphArchive.open(url, Music.entities) else {
      Issue.record("what a newer format has after its preamble is not ours to judge")
      return
    }
  }
}
