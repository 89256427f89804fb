import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

/// An entity with two texts, one of them optional, and with texts that are stored in other forms.
private struct Track: Entity {
  var name = ""
  var note: String?
  var place = 0
  var tag = ""
  var album: Ref<Track>?

  init() {}
  init(_ name: String, note: String? = nil, place: Int = 0) {
    (self.name, self.note, self.place) = (name, note, place)
  }

  static let schema = Schema<Track>("Track") {
    Attribute("name", \.name, indexed: true)
    Attribute("note", \.note)
    Attribute("place", \.place)
    Attribute("tag", json: \.tag)
    ToOne("album", \.album)
  }
}

/// A row that counts how often its values are read.
private struct CountedRow: RowSource {
  final class Reads { var count = 0 }

  let id: Int64
  let text: String
  let reads: Reads

  func stored(column: Int) -> StoredValue {
    reads.count += 1
    return .text(text)
  }
  func row(of entity: Int, id: Int64) -> CountedRow? { nil }
  func rows(of entity: Int, whereColumn column: Int, refersTo id: Int64) -> [CountedRow] { [] }
}

@Suite("An order of texts", .hangGuard)
struct TextOrderTests {
  private static let all = [TextOrder.folded, .natural]
  private static let everything: TextOptions = [.caseInsensitive, .diacriticInsensitive]

  private func key(_ text: String, _ order: TextOrder) -> StoredValue { order.key(of: .text(text)) }

  @Test("compares key texts as a slow oracle compares texts", arguments: all)
  func oracle(order: TextOrder) {
    for seed in SplitMix64.seeds(4, from: 1_400) {
      var random = SplitMix64(seed: seed)
      for _ in 0..<10_000 {
        let (one, other) = (random.nastyText(), random.nastyText())
        let wanted = TextOracle.order(one, other, in: order)
        let found = StoredValue.order(key(one, order), key(other, order)).signum()
        guard found != wanted else { continue }
        Issue.record("seed \(seed): \(one.debugDescription), \(other.debugDescription): \(found)")
      }
    }
  }

  @Test("folds as the filters do, whatever characters are next to each other")
  func folding() {
    func check(_ text: String) {
      let wanted = Folding.fold(text, options: Self.everything)
      guard key(text, .folded) != .text(wanted) else { return }
      Issue.record("\(text.unicodeScalars.map { String($0.value, radix: 16) })")
    }
    let scalars = (UInt32(0)..<0x3100).compactMap(Unicode.Scalar.init)
    for scalar in scalars { check(String(scalar)) }
    var random = SplitMix64(seed: SplitMix64.seed(77))
    for _ in 0..<60_000 {
      let bound = random.chance(80) ? 0x800 : scalars.count
      var text = String.UnicodeScalarView()
      for _ in 0..<(1 + random.below(4)) { text.append(scalars[random.below(bound)]) }
      check(String(text))
    }
  }

  @Test("repairs bytes that are no text")
  func invalid() {
    let all: [[UInt8]] = [
      [0xC3], [0x41, 0xC3], [0xC3, 0x41], [0xC0, 0x80], [0x80], [0xE4, 0xB8], [0xFF, 0xC3, 0x89],
      [0xC3, 0x89, 0xED, 0xA0, 0x80],
    ]
    for bytes in all {
      let text = String(decoding: bytes, as: UTF8.self)
      let wanted = Array(Folding.fold(text, options: Self.everything).utf8)
      #expect(TextOrder.folded.key(of: bytes.span) == wanted)
    }
  }

  @Test("sorts names and numbers as people do")
  func people() {
    func sorted(_ texts: [String], _ order: TextOrder) -> [String] {
      texts.sorted { StoredValue.order(key($0, order), key($1, order)) < 0 }
    }
    #expect(
      sorted(["zoo", "Émile", "emily", "øl", "Emil"], .folded)
        == ["Emil", "Émile", "emily", "zoo", "øl"])
    let long = String(repeating: "9", count: 40)
    #expect(
      sorted(["p\(long)", "p10", "P9", "p010b", "p1\(long)", "p0", "p", "p2.10", "p2.9"], .natural)
        == ["p", "p0", "p2.9", "p2.10", "P9", "p10", "p010b", "p\(long)", "p1\(long)"])
    #expect(key("a007", .natural) == key("A7", .natural))
    #expect(key("a0", .natural) == key("a000", .natural))
  }

  @Test("makes one key of each row, however often rows are compared", arguments: all)
  func counted(order: TextOrder) throws {
    let model = try MemoryStore([Track.self]).model
    let terms = [
      OrderTerm(property: PropertyPath(name: "name"), isDescending: false, textOrder: order)
    ]
    let sorter = try Sorter(terms, entity: 0, model: model)
    var random = SplitMix64(seed: 1)
    let reads = CountedRow.Reads()
    let rows = (1...1_000).map { CountedRow(id: $0, text: random.nastyText(), reads: reads) }
    let sorted = try sorter.sorted(rows)
    #expect(reads.count == 1_000)
    for (one, other) in zip(sorted, sorted.dropFirst()) {
      let place = TextOracle.order(one.text, other.text, in: order)
      #expect(place < 0 || place == 0 && one.id < other.id)
    }
  }

  @Test(
    "is the same in each store, for saved, changed and new objects",
    arguments: [Stores.memory, .sqlite, .poor])
  func stores(_ stores: Stores) async throws {
    for seed in SplitMix64.seeds(3, from: 800) {
      var random = SplitMix64(seed: seed)
      let store = try await stores.open([Track.self])
      let context = store.makeContext()
      func fill(_ count: Int) throws {
        for place in 0..<count {
          let note = random.chance(20) ? nil : random.nastyText()
          try context.insert(Track(random.nastyText(), note: note, place: place % 3))
        }
        for track in try context.fetch(Track.self) where random.chance(20) {
          track.album = random.chance(20) ? nil : random.pick(try context.fetch(Track.self))
          track.name = random.nastyText()
        }
      }
      func check() throws {
        let tracks = try context.fetch(Track.self)
        let (folded, natural) = (TextOrder.folded, TextOrder.natural)
        try check(tracks, { $0.note.folded }) { TextOracle.order($0.note, $1.note, in: folded) }
        try check(tracks, { $0.name.natural.descending }) {
          -TextOracle.order($0.name, $1.name, in: natural)
        }
        try check(
          tracks,
          {
            $0.album.name.natural
            $0.place.descending
          },
          {
            let order = TextOracle.order($0.album?.name, $1.album?.name, in: natural)
            return order != 0 ? order : $1.place - $0.place
          })
      }
      func check(
        _ tracks: [Object<Track>],
        @OrderingBuilder<Track> _ sort: (Columns<Track>) -> Ordering<Track>,
        _ order: (Object<Track>, Object<Track>) -> Int
      ) throws {
        let sorted = tracks.sorted {
          let place = order($0, $1)
          return place < 0 || place == 0 && $0.key < $1.key
        }
        #expect(try context.fetch(Track.self, sort: sort) == sorted, "seed \(seed)")
        let part = try context.fetch(Track.self, sort: sort, limit: 7, offset: 5)
        #expect(part == Array(sorted.dropFirst(5).prefix(7)), "seed \(seed)")
        #expect(try context.values(Track.self, sort: sort).map(\.name) == sorted.map(\.name))
        let child = context.makeChild()
        #expect(try child.fetch(Track.self, sort: sort).map(\.id) == sorted.map(\.id))
      }
      try fill(60)
      try check()
      try context.save()
      try check()
      try fill(20)
      try check()
      context.discard()
      try check()
    }
  }

  @Test("divides a list into sections, whose names are the values of their first rows")
  func sections() async throws {
    for stores in Stores.all {
      let context = try await stores.open([Track.self]).makeContext()
      let list = try LiveList(
        FetchRequest<Track>(sort: { $0.place }), in: context, sections: { $0.name.folded })
      let mirror = ListMirror(list)
      let lower = try context.insert(Track("ada", place: 2))
      let upper = try context.insert(Track("Áda", place: 1))
      try context.insert(Track("Bob", place: 3))
      #expect(list.sections.map(\.name) == ["Áda", "Bob"])
      #expect(list.sections.map(\.rows) == [0..<2, 2..<3])
      upper.place = 4
      #expect(list.sections.map(\.name) == ["ada", "Bob"])
      #expect(mirror.last?.insertedSections == [] && mirror.last?.moves.count == 1)
      lower.name = "ADA"
      #expect(list.sections.map(\.name) == ["ADA", "Bob"] && mirror.last?.updates == [[0, 0]])
      try context.save()
      let again = try LiveList(
        FetchRequest<Track>(sort: { $0.place }), in: context, sections: { $0.name.folded })
      #expect(again.sections == list.sections)
      lower.name = "Bób"
      #expect(list.sections.map(\.name) == ["Áda", "Bób"] && list[1] === lower)
      #expect(try mirror.complaint() == nil)
    }
  }

  @Test("also by a text behind a relation, and by numbers in texts")
  func sectionsOfOthers() async throws {
    for stores in Stores.all {
      let store = try await stores.open([Track.self])
      let context = store.makeContext()
      let albums = try ["Part 10", "part 2", "Part 02"].map { try context.insert(Track($0)) }
      for (place, album) in albums.enumerated() {
        let track = try context.insert(Track("t", place: place))
        track.album = album
      }
      try context.save()
      let other = store.makeContext()
      let request = FetchRequest<Track>(where: { $0.album != nil }, sort: { $0.place })
      let list = try LiveList(request, in: other, sections: { $0.album.name.natural })
      #expect(list.sections.map(\.name) == ["part 2", "Part 10"])
      #expect(list.map(\.place) == [1, 2, 0])
      try other.object(with: albums[1].id).name = "Part 11"
      #expect(list.sections.map(\.name) == ["Part 02", "Part 10", "Part 11"])
    }
  }

  // MARK: Archives

  @Test("is a part of an archived request; plain keys are written as before")
  func archives() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    func text(_ request: FetchRequest<Track>) throws -> String {
      String(decoding: try encoder.encode(request), as: UTF8.self)
    }
    func request(_ text: String) throws -> FetchRequest<Track> {
      try JSONDecoder().decode(FetchRequest<Track>.self, from: Data(text.utf8))
    }
    let plain = FetchRequest<Track>(sort: {
      $0.name
      $0.album.note.descending
    })
    let old = """
      {"entity":"Track","order":[{"isDescending":false,"property":"name"},\
      {"isDescending":true,"property":"album.note"}]}
      """
    #expect(try text(plain) == old)
    #expect(try request(old) == plain)
    let folded = FetchRequest<Track>(sort: {
      $0.name.folded
      $0.album.note.natural.descending
      $0.name
    })
    let new = """
      {"entity":"Track","order":[{"isDescending":false,"property":"name","textOrder":"folded"},\
      {"isDescending":true,"property":"album.note","textOrder":"natural"},\
      {"isDescending":false,"property":"name"}]}
      """
    #expect(try text(folded) == new)
    #expect(try request(new) == folded)
    #expect(
      "\(folded)" == """
        FetchRequest<Track>(sort: { $0.name.folded; $0.album.note.natural.descending; $0.name })
        """)
    let newer = new.replacingOccurrences(of: "natural", with: "Danish")
    #expect(throws: DecodingError.self) { try request(newer) }
  }

  @Test(
    "of what is no text is refused, wherever the request comes from",
    arguments: ["place", "tag", "album", "id"])
  func refused(name: String) async throws {
    let text = """
      {"entity":"Track","order":[{"isDescending":false,"property":"\(name)","textOrder":"folded"}]}
      """
    let request = try JSONDecoder().decode(FetchRequest<Track>.self, from: Data(text.utf8))
    for stores in [Stores.memory, .sqlite, .poor] {
      let context = try await stores.open([Track.self]).makeContext()
      for isSaved in [false, true] {
        if isSaved { try context.insert(Track("x")) }
        let error = try #require(throws: GraphError.self) { try context.fetch(request) }
        guard case .request("Track", name, let message) = error.reason else { throw error }
        #expect(message.contains("text") || message == "JSON has no order")
      }
      #expect(throws: GraphError.self) { try LiveList(request, in: context) }
    }
  }

  @Test("has no index, so that a windowed list refuses it", arguments: Stores.all)
  func window(_ stores: Stores) async throws {
    let context = try await stores.open([Track.self]).makeContext()
    let requests = [
      FetchRequest<Track>(sort: { $0.name.folded }),
      FetchRequest<Track>(sort: {
        $0.name.natural.descending
        $0.name
      }),
    ]
    for request in requests {
      let error = try #require(throws: GraphError.self) {
        try WindowedList(request, in: context)
      }
      guard case .request("Track", "name", let message) = error.reason else { throw error }
      #expect(
        message == "a windowed list needs an index with its order; that of key texts has none")
    }
  }
}
