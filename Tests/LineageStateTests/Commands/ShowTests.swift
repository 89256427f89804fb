import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("show and export print all values")
struct ShowTests {
  let drawer: Drawer
  /// The path of an archive with a value of each type.
  let path: String

  init() throws {
    drawer = try Drawer()
    let (application, restoration) = try Samples.world()
    let everything = try #require(application.children.first as? Everything)
    everything.flag = true
    everything.large = .max
    everything.ratio = 1.5
    everything.single = 0.1
    everything.text = "say \"hi\"\n\u{1B}[2J"
    everything.data = Data([0, 1, 254, 255])
    everything.date = Date(timeIntervalSinceReferenceDate: 785_719_996.25)
    everything.id = UUID(uuidString: "9C5B94B1-35AD-49BB-B118-8E8FC24ABF80")
    everything.place = URL(string: "https://example.org/a?b#c")
    everything.price = Decimal(string: "12.5")
    everything.days = [1, -2, 3]
    everything.words = ["one", "two"]
    everything.nested = ["b": [["x"], []], "$a": []]
    everything.nothing = nil
    everything.doubt = .some(nil)
    path = try drawer.write(restoration.archive(of: application).bytes)
  }

  @Test("show is a tree")
  func tree() throws {
    let result = runTool("show", path)
    #expect(result.status == 0)
    let expected = """
      the application
      ├ everything  kind everything 3 · needs notes
      │     data: 4 B of data 0001feff
      │     date: 2025-11-24T23:33:16.250Z
      │     days: [1, -2, 3]
      │     doubt: some nil
      │     flag: true
      │     id: 9C5B94B1-35AD-49BB-B118-8E8FC24ABF80
      │     large: 18446744073709551615
      │     nested: {"$a": [], "b": [["x"], []]}
      │     nothing: nil
      │     number: -8
      │     other: responder notes › note (2)
      │     page: notes: "page 12"
      │     place: <https://example.org/a?b#c>
      │     price: 12.5 (Decimal)
      │     ratio: 1.5
      │     single: 0.1 (Float)
      │     text: "say \\"hi\\"\\n\\u{1B}[2J"
      │     words: ["one", "two"]
      └ notes  kind note · notes: branch, keep
        │   text: "a list"
        ├ note  kind note
        │     text: "note 0"
        ├ note (2)  kind note
        │ │   text: "note 1"
        │ └ below  kind note
        │       text: "the lowest"
        └ last  kind note
              text: "note 2"
      """
    let lines = result.lines.dropFirst().joined(separator: "\n")
    #expect(lines == expected)
  }

  @Test("Keys with different bytes are different in JSON, even if they are equal as texts")
  func equalKeys() throws {
    let keys: [[UInt8]] = [
      Array("caf\u{E9}".utf8), Array("cafe\u{301}".utf8), Array("caf\u{FFFD}".utf8),
      Array("caf".utf8) + [0xE9], Array("caf".utf8) + [0xE8], Array("$key Y2Fm6Q==".utf8),
      Array("$date".utf8), Array("$$date".utf8),
    ]
    var record = ForgedRecord(id: 1, identifier: "screen")
    // Of two values with one key, a launch reads the first.
    record.entries =
      keys.enumerated().flatMap { Forgery.entry($1, [3, UInt8($0 * 2)]) }
      + Forgery.entry(keys[0], [3, 99])
    record.count = keys.count + 1
    let forged = Forgery(
      header: try Samples.archives()[0].bytes,
      [Forgery.record(0, ""), Forgery.list(0, [1]), record.item])
    let output = runTool("export", try drawer.write(forged.bytes)).output
    let line = try #require(output.split(separator: "\n").last { $0.contains("screen") })
    let names = [
      "caf\u{E9}", "cafe\u{301}", "caf\u{FFFD}", "$key Y2Fm6Q==", "$key Y2Fm6A==",
      "$$key Y2Fm6Q==", "$$date", "$$$date",
    ]
    let pairs = names.enumerated().map { "\"\($1)\":\($0)" }
    let expected = "\"values\":{" + pairs.joined(separator: ",") + "}"
    #expect(Array(String(line).utf8).contains(Array(expected.utf8)), "\(line)")
  }

  @Test("export is JSON with all types, and each record is one line")
  func json() throws {
    let result = runTool("export", "--json", path)
    #expect(result.status == 0)
    #expect(result == runTool("export", path))
    let values = """
      "values":{"data":{"$data":"AAH+/w=="},\
      "date":{"$date":"2025-11-24T23:33:16.250Z","seconds":785719996.25},\
      "days":[1,-2,3],"doubt":{"$some":1,"value":null},"flag":true,\
      "id":{"$uuid":"9C5B94B1-35AD-49BB-B118-8E8FC24ABF80"},"large":18446744073709551615,\
      "nested":{"$$a":[],"b":[["x"],[]]},"nothing":null,"number":-8,\
      "other":{"$responder":["notes",{"identifier":"note","ordinal":1}]},\
      "page":{"$reference":"page 12","context":"notes"},\
      "place":{"$url":"https://example.org/a?b#c"},"price":{"$decimal":"12.5"},"ratio":1.5,\
      "single":{"$float":0.1},"text":"say \\"hi\\"\\n\\u001b[2J","words":["one","two"]}
      """
    #expect(result.lines[7].contains(values), "\(result.lines[7])")
    let parsed = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    let records = try #require((parsed as? [String: Any])?["records"] as? [[String: Any]])
    #expect(records.count == 7)
    #expect(records.map { $0["depth"] as? Int } == [0, 1, 1, 2, 2, 3, 2])
    #expect(records[5]["path"] as? [String] == ["notes", "note", "below"])
    #expect(records[2]["parent"] as? Int == 0)
  }

  @Test("The sizes of all rows at the edge add up to the file")
  func sizes() throws {
    let result = runTool("show", "--sizes", path)
    #expect(result.status == 0)
    func bytes(_ text: String) throws -> Int {
      let line = try #require(result.lines.dropFirst().first { $0.contains(text) }, "\(text)")
      return try #require(Int(line.split(separator: " ")[0]))
    }
    let count = try Data(contentsOf: drawer.file("state")).count
    let outside = try bytes("the header")
    #expect(try bytes("the application") + outside == count)
    #expect(!result.output.contains("not in the tree"))
    #expect(try bytes("all") == count)
    // The largest record comes first, and its share is a share of the whole file.
    #expect(result.lines[2].contains("├ everything"))
    #expect(result.lines.last?.hasSuffix("100.0 %  all") == true)
  }

  @Test("Many small siblings take one line of the sizes")
  func manySiblings() throws {
    let (application, restoration) = (Application(), makeRestoration())
    application.launch(restoring: restoration, from: nil)
    for number in 0..<2_000 {
      try application.append(
        Note("n\(number)", String(repeating: "x", count: number == 77 ? 500 : 1)))
    }
    let path = try drawer.write(restoration.archive(of: application).bytes)
    let result = runTool("show", "--sizes", path)
    #expect(result.output.contains("1,990 smaller ones"))
    #expect(result.lines.count == 15)
    #expect(result.lines[2].contains("├ n77"))
  }

  @Test("What damage leaves is printed, and the status says that it is damaged")
  func damaged() throws {
    var bytes = Array(try Data(contentsOf: drawer.file("state")))
    let item = try #require(Forgery(bytes).items.first { $0.type == 1 && $0.payload[0] == 4 })
    bytes[item.position + 12] ^= 1
    try drawer.write(bytes)
    let shown = runTool("show", path)
    #expect(shown.status == 1)
    #expect(shown.output.contains("├ record 4 damaged: not restored"))
    #expect(!shown.output.contains("the lowest"))
    #expect(shown.errors.contains("1 fault. \"lineage-state verify\""))
    let exported = runTool("export", path)
    #expect(exported.status == 1)
    #expect(exported.output.contains("{\"id\":4,\"parent\":2,\"depth\":2,\"damaged\":true}"))
  }

  @Test("Colours are only where they are wanted")
  func colors() {
    #expect(!runTool("show", path).output.contains("\u{1B}"))
    let colored = runTool("show", path, hasColor: true).output
    #expect(colored.contains("\u{1B}[1mnotes\u{1B}[0m"))
    var plain = colored
    for number in ["0", "1", "2", "31", "32"] {
      plain = plain.replacingOccurrences(of: "\u{1B}[\(number)m", with: "")
    }
    #expect(plain == runTool("show", path).output)
  }

  @Test("Records that launches did not restore say so, and why")
  func carried() throws {
    let header = Array(try Data(contentsOf: drawer.file("state")))
    func record(_ id: Int, launches: UInt8, flags: UInt8, _ version: [UInt8] = []) -> Forgery.Item {
      var item = Forgery.record(id, "r\(id)")
      item.payload.removeLast(3)
      item.payload += [launches, 0, 0, 0, 0, 0, 0, 0, 0, flags] + version + [0, 0]
      return item
    }
    let forged = Forgery(
      header: header,
      [
        Forgery.record(0, ""), Forgery.list(0, 1...4), record(1, launches: 5, flags: 1),
        record(2, launches: 1, flags: 2), record(3, launches: 1, flags: 4, Forgery.text("1.2")),
        record(4, launches: 2, flags: 4, Forgery.text("")),
      ])
    let path = try drawer.write(forged.bytes, "forged")
    #expect(
      Array(runTool("show", path).lines.dropFirst(2)) == [
        "├ r1  not restored in 5 launches since 2001-01-01T00:00:00Z · the next launch removes it",
        "├ r2  not restored in 1 launch since 2001-01-01T00:00:00Z · another one has its place",
        "├ r3  in quarantine because of a crash of version 1.2",
        "└ r4  in quarantine because of a crash",
      ])
    let lines = runTool("export", path).lines
    #expect(
      lines[7].contains(
        #""carried":{"launches":5,"since":0.0,"expiring":true,"displaced":false}"#))
    #expect(!lines[8].contains("quarantine"))
    #expect(lines[9].contains(#","quarantine":"1.2","#))
    #expect(lines[10].contains(#","quarantine":"","#))
  }
}
