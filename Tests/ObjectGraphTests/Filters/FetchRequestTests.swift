import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Requests in archives")
struct FetchRequestTests {
  private func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(value))
  }

  @Test("Random requests come back as they were, from JSON and from property lists")
  func roundTrips() throws {
    let seed = SplitMix64.seed(11)
    var random = RandomConditions(seed: seed)
    for count in 0..<300 {
      let request = FetchRequest<Sample>(
        filter: random.sampleFilter(depth: 3).filter, order: random.sampleOrder().order,
        limit: count.isMultiple(of: 2) ? nil : count, offset: count % 3,
        prefetch: Prefetch(paths: [["group", "leader"], ["friends"]]))
      #expect(try roundTrip(request) == request, "seed \(seed)")
      let bytes = try PropertyListEncoder().encode(request)
      let copy = try PropertyListDecoder().decode(FetchRequest<Sample>.self, from: bytes)
      #expect(copy == request, "seed \(seed)")
    }
  }

  @Test("The archived form is names and values, and stays the same")
  func form() throws {
    let time = Date(timeIntervalSinceReferenceDate: 12.5)
    let request = FetchRequest<Sample>(
      where: {
        $0.group.name == "x" && $0.time <= time && $0.friends.contains { $0.maybeNumber == nil }
          || $0.number.isIn([1, 2]) || $0.text.hasPrefix("y", .caseInsensitive)
          || $0.number == $0.friend.number || $0.friends.count > 3
      }, sort: { $0.group.name.descending }, limit: 3)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let text = String(decoding: try encoder.encode(request), as: UTF8.self)
    #expect(
      text == """
        {"entity":"Sample","filter":{"or":[{"and":[\
        {"is":"equal","property":"group.name","value":{"text":"x"}},\
        {"is":"lessOrEqual","property":"time","value":{"real":12.5}},\
        {"any":"friends","where":{"is":"equal","property":"maybeNumber","value":{"null":true}}}]},\
        {"in":[{"integer":1},{"integer":2}],"property":"number"},\
        {"options":1,"property":"text","text":"hasPrefix","value":{"text":"y"}},\
        {"is":"equal","other":"friend.number","property":"number"},\
        {"count":"friends","is":"greater","value":3}]},\
        "limit":3,"order":[{"isDescending":true,"property":"group.name"}]}
        """)
  }

  @Test(
    "Extreme values survive JSON",
    arguments: [
      StoredValue.null, .integer(.min), .integer(.max), .real(-0.0), .real(.infinity),
      .real(-.infinity), .real(.leastNonzeroMagnitude), .real(0.1), .real(.greatestFiniteMagnitude),
      .text("nul\0\u{10FFFF}"), .text("e\u{301}"), .text("\u{212B}"), .blob([0, 255]), .blob([]),
    ])
  func values(value: StoredValue) throws { #expect(try roundTrip(value) == value) }

  @Test("Texts that are equal to Swift stay apart in property lists too")
  func equalTexts() throws {
    let request = FetchRequest<Sample>(where: {
      $0.text.isIn(["\u{C5}", "\u{212B}", "A\u{30A}"]) || $0.text.contains("A\u{30A}")
    })
    let bytes = try PropertyListEncoder().encode(request)
    #expect(try PropertyListDecoder().decode(FetchRequest<Sample>.self, from: bytes) == request)
  }

  @Test("Requests are equal only if they fetch the same: texts compare by their bytes")
  func equality() {
    let composed = FetchRequest<Sample>(where: { $0.text.contains("\u{E9}") })
    let decomposed = FetchRequest<Sample>(where: { $0.text.contains("e\u{301}") })
    #expect(composed != decomposed)
    #expect(
      FetchRequest<Sample>(where: { $0.text == "\u{E9}" })
        != FetchRequest<Sample>(where: { $0.text == "e\u{301}" }))
    #expect(Set([composed, composed, decomposed]).count == 2)
  }

  @Test("A request for another entity is refused")
  func otherEntity() throws {
    let bytes = try JSONEncoder().encode(FetchRequest<Group>())
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(FetchRequest<Sample>.self, from: bytes)
    }
  }

  @Test("A condition that nests a hundred thousand deep is refused")
  func deep() {
    let depth = 100_000
    let text =
      String(repeating: #"{"not":"#, count: depth) + #"{"constant":true}"#
      + String(repeating: "}", count: depth)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Condition.self, from: Data(text.utf8))
    }
  }

  @Test(
    "What the schema does not know is an error that names it, never a trap",
    arguments: [
      (#"{"property":"gone","is":"equal","value":{"integer":1}}"#, "Sample.gone"),
      (#"{"property":"group.gone","is":"equal","value":{"null":true}}"#, "Group.gone"),
      (#"{"property":"number.gone","is":"equal","value":{"null":true}}"#, "Sample.number"),
      (#"{"property":"gone.name","is":"equal","value":{"null":true}}"#, "Sample.gone"),
      (#"{"property":"number","is":"equal","value":{"text":"1"}}"#, "Sample.number"),
      (#"{"property":"text","is":"less","value":{"integer":1}}"#, "Sample.text"),
      (#"{"property":"text","is":"equal","other":"number"}"#, "Sample.text"),
      (#"{"property":"maybeTags","is":"equal","value":{"text":"[]"}}"#, "Sample.maybeTags"),
      (#"{"property":"maybeTags","is":"less","value":{"null":true}}"#, "Sample.maybeTags"),
      (#"{"property":"maybeTags","text":"contains","value":{"text":"x"}}"#, "Sample.maybeTags"),
      (#"{"property":"number","text":"contains","value":{"text":"x"}}"#, "Sample.number"),
      (#"{"property":"number","in":[{"blob":""}]}"#, "Sample.number"),
      (#"{"property":"price","is":"equal","value":{"text":"1.50"}}"#, "Sample.price"),
      (#"{"property":"price","is":"less","value":{"integer":1}}"#, "Sample.price"),
      (#"{"property":"price","in":[{"text":"abc"}]}"#, "Sample.price"),
      (#"{"property":"price","text":"contains","value":{"text":"1"}}"#, "Sample.price"),
      (#"{"property":"price","is":"less","other":"text"}"#, "Sample.price"),
      (#"{"any":"gone","where":{"constant":true}}"#, "Sample.gone"),
      (#"{"any":"number","where":{"constant":true}}"#, "Sample.number"),
      (#"{"all":"friends","where":{"property":"gone","is":"equal","other":"id"}}"#, "Sample.gone"),
      (#"{"count":"friend.group.gone","is":"equal","value":1}"#, "Group.gone"),
      (#"{"or":[{"not":{"property":"","is":"equal","value":{"null":true}}}]}"#, "Sample."),
    ])
  func unknown(text: String, name: String) throws {
    let condition = try JSONDecoder().decode(Condition.self, from: Data(text.utf8))
    let store = try MemoryStore([Sample.self, Group.self])
    let error = try #require(throws: GraphError.self) {
      _ = try store.makeReader().cursor(Query(entity: 0, condition: condition))
    }
    #expect("\(error)".hasPrefix("could not fetch \(name.split(separator: ".")[0]): \(name): "))
  }

  @Test("An order by what the schema does not know, or by JSON, is an error")
  func unknownOrder() throws {
    let reader = try MemoryStore([Sample.self, Group.self]).makeReader()
    for name in ["gone", "maybeTags"] {
      let term = OrderTerm(property: PropertyPath(name: name), isDescending: false)
      #expect(throws: GraphError.self) {
        _ = try reader.cursor(Query(entity: 0, order: [term]))
      }
    }
  }

  @Test("An archived literal of another number type still means the same number")
  func numbers() throws {
    let store = try MemoryStore([Sample.self, Group.self])
    var sample = Sample()
    sample.number = (1 << 53) + 1
    try store.commit([.insert(Ref(key: 1), sample, in: store.model)], from: nil)
    let reader = try store.makeReader()
    func isFound(_ comparison: Comparison, _ literal: StoredValue) throws -> Bool {
      let condition = Condition.compare(PropertyPath(name: "number"), comparison, literal)
      return try !reader.ids(Query(entity: 0, condition: condition)).isEmpty
    }
    #expect(try isFound(.greater, .real(0x1p53)))
    #expect(try isFound(.less, .real(0x1p53 + 2)))
    #expect(try !isFound(.equal, .real(0x1p53)))
    #expect(try isFound(.notEqual, .real(0x1p53)))
    #expect(try isFound(.less, .real(.infinity)))
    func isListed(_ name: String, _ literal: StoredValue) throws -> Bool {
      let condition = Condition.isIn(PropertyPath(name: name), [literal, .null])
      return try !reader.ids(Query(entity: 0, condition: condition)).isEmpty
    }
    #expect(try isListed("score", .integer(0)))
    #expect(try !isListed("score", .integer(.max)))
    #expect(try isListed("small", .real(-0.0)))
    #expect(try !isListed("small", .real(0.5)))
    #expect(try !isListed("number", .real(0x1p53)))
  }

  @Test("A request for an entity that the store lacks is an error")
  func unknownEntity() throws {
    let store = try MemoryStore([Badge.self])
    #expect(throws: GraphError.self) { try FetchRequest<Sample>().query(in: store.model) }
  }

  @Test("A negative limit means none, a negative offset none")
  func negative() throws {
    let model = try MemoryStore([Badge.self]).model
    let request = FetchRequest<Badge>(limit: -1, offset: -1)
    let query = try request.query(in: model)
    #expect(query.limit == 0 && query.offset == 0)
    let endless = try FetchRequest<Badge>(limit: .max, offset: .max).query(in: model)
    #expect((endless.limit ?? 0) + endless.offset > 0)
  }

  @Test("A request from before a property was renamed still means it")
  func renamed() throws {
    let store = try MemoryStore([Renamed.self])
    var value = Renamed()
    value.title = "x"
    value.parent = Ref(key: 1)
    try store.commit([.insert(Ref(key: 1), value, in: store.model)], from: nil)
    let text = """
      {"entity":"Renamed","order":[{"isDescending":true,"property":"parent.name"}],
      "filter":{"is":"equal","property":"owner.name","value":{"text":"x"}}}
      """
    let request = try JSONDecoder().decode(FetchRequest<Renamed>.self, from: Data(text.utf8))
    #expect(try store.makeReader().ids(request.query(in: store.model)) == [1])
  }

  @Test("Also if it prefetches a relation that was renamed", arguments: Stores.all)
  func renamedPrefetch(_ stores: Stores) async throws {
    let context = try await stores.open([Renamed.self]).makeContext()
    let one = try context.insert(Renamed())
    try context.save()
    let text = """
      {"entity":"Renamed","order":[{"isDescending":false,"property":"owner.title"}],
      "prefetch":[["owner"]]}
      """
    let request = try JSONDecoder().decode(FetchRequest<Renamed>.self, from: Data(text.utf8))
    #expect(try context.fetch(request) == [one])
  }
}

private struct Renamed: Entity {
  var title = ""
  var parent: Ref<Renamed>?
  static let schema = Schema<Renamed>("Renamed") {
    Attribute("title", \.title, formerly: "name")
    ToOne("parent", \.parent, formerly: "owner")
  }
}
