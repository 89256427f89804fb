import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("show prints all values")
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
        everything · kind "everything" · version 3 · needs ["notes"]
            data: {"$data":"AAH+/w=="}
            date: {"$date":"2025-11-24T23:33:16.250Z","seconds":785719996.25}
            days: [1,-2,3]
            doubt: {"$some":1,"value":null}
            flag: true
            id: {"$uuid":"9C5B94B1-35AD-49BB-B118-8E8FC24ABF80"}
            large: 18446744073709551615
            nested: {"$$a":[],"b":[["x"],[]]}
            nothing: null
            number: -8
            other: {"$responder":["notes","note (2)"]}
            page: {"$reference":"page 12","context":"notes"}
            place: {"$url":"https://example.org/a?b#c"}
            price: {"$decimal":"12.5"}
            ratio: 1.5
            row: {"$early":3,"value":{"$reference":"page 13","context":"notes"}}
            single: {"$float":0.1}
            text: "say \\"hi\\"\\n\\u001b[2J"
            words: ["one","two"]
        notes · kind "note" · slots ["notes: branch, keep"]
            text: "a list"
          note · kind "note"
              text: "note 0"
          note (2) · kind "note"
              text: "note 1"
            below · kind "note"
                text: "the lowest"
          last · kind "note"
              text: "note 2"
      """
    let lines = result.lines.dropFirst().map { $0.dropFirst(11) }.joined(separator: "\n")
    #expect(
      lines.replacing("the application · role \"application\"", with: "the application") == expected
    )
  }

  @Test("Each line begins with its bytes, and a record's bytes include those below it")
  func sizes() throws {
    func bytes(_ name: String) throws -> Int {
      let line = try #require(runTool("show", path).lines.last { $0.contains(name) })
      return try #require(Int(line.split(separator: " ")[0]))
    }
    let whole = try Data(contentsOf: drawer.file("state")).count
    let items = try Forgery(Array(Data(contentsOf: drawer.file("state")))).items
    let own = items.dropLast().map { $0.payload.count + Forgery.Item.headerSize }
    #expect(try bytes("the application") == own.reduce(0, +))
    #expect(try bytes("the application") < whole)
    #expect(try bytes("note (2)") > bytes("below"))
    #expect(try bytes("flag: true") == 1)
  }

  @Test("Keys with different bytes are different in JSON, even if they are equal as texts")
  func equalKeys() throws {
    let keys: [[UInt8]] = [
      Array("caf\u{E9}".utf8), Array("cafe\u{301}".utf8), Array("caf\u{FFFD}".utf8),
      Array("caf".utf8) + [0xE9], Array("caf".utf8) + [0xE8], Array("$key Y2Fm6Q==".utf8),
      Array("$date".utf8), Array("$$date".utf8),
    ]
    var record = ForgedRecord(identifier: "screen")
    // Of two values with one key, a launch reads the first.
    record.entries =
      keys.enumerated().flatMap { Forgery.entry($1, [3, UInt8($0 * 2)]) }
      + Forgery.entry(keys[0], [3, 99])
    record.count = keys.count + 1
    let forged = Forgery(
      header: try Samples.archives()[0].bytes,
      [Forgery.record(nil), record.item])
    let output = runTool("show", "--json", try drawer.write(forged.bytes)).output
    let line = try #require(output.split(separator: "\n").last { $0.contains("screen") })
    let names = [
      "caf\u{E9}", "cafe\u{301}", "caf\u{FFFD}", "$key Y2Fm6Q==", "$key Y2Fm6A==",
      "$$key Y2Fm6Q==", "$$date", "$$$date",
    ]
    let pairs = names.enumerated().map { "\"\($1)\":\($0)" }
    let expected = "\"values\":{" + pairs.joined(separator: ",") + "}"
    #expect(Array(String(line).utf8).contains(Array(expected.utf8)), "\(line)")
  }

  @Test("JSON has all types, and each record is one line")
  func json() throws {
    let result = runTool("show", "--json", path)
    #expect(result.status == 0)
    let values = """
      "values":{"data":{"$data":"AAH+/w=="},\
      "date":{"$date":"2025-11-24T23:33:16.250Z","seconds":785719996.25},\
      "days":[1,-2,3],"doubt":{"$some":1,"value":null},"flag":true,\
      "id":{"$uuid":"9C5B94B1-35AD-49BB-B118-8E8FC24ABF80"},"large":18446744073709551615,\
      "nested":{"$$a":[],"b":[["x"],[]]},"nothing":null,"number":-8,\
      "other":{"$responder":["notes","note (2)"]},\
      "page":{"$reference":"page 12","context":"notes"},\
      "place":{"$url":"https://example.org/a?b#c"},"price":{"$decimal":"12.5"},"ratio":1.5,\
      "row":{"$early":3,"value":{"$reference":"page 13","context":"notes"}},\
      "single":{"$float":0.1},"text":"say \\"hi\\"\\n\\u001b[2J","words":["one","two"]}
      """
    #expect(result.lines[3].contains(values), "\(result.lines[3])")
    let parsed = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    let records = try #require((parsed as? [String: Any])?["records"] as? [[String: Any]])
    #expect(records.count == 7)
    #expect(records.map { $0["depth"] as? Int } == [0, 1, 1, 2, 2, 3, 2])
    #expect(records[5]["path"] as? [String] == ["notes", "note (2)", "below"])
    #expect(records[2]["parent"] as? Int == 0)
  }

  @Test("What damage leaves is printed, and the status says that it is damaged")
  func damaged() throws {
    var bytes = Array(try Data(contentsOf: drawer.file("state")))
    let item = Forgery(bytes).items[4]
    bytes[item.position + 14] ^= 1
    try drawer.write(bytes)
    let shown = runTool("show", path)
    #expect(shown.status == 1)
    #expect(shown.output.contains("record 4 · damaged not restored"))
    #expect(!shown.output.contains("the lowest"))
    #expect(shown.faults.count == 1)
    let json = runTool("show", "--json", path)
    #expect(json.status == 1)
    #expect(json.lines.contains { $0.hasPrefix(#"{"id":4,"parent":2,"depth":2,"#) })
    #expect(json.output.contains(#""damaged":true}"#))
  }

  @Test("Records that launches did not restore say so, and why")
  func carried() throws {
    let header = Array(try Data(contentsOf: drawer.file("state")))
    func record(_ id: Int, launches: UInt8, flags: UInt8) -> Forgery.Item {
      var item = Forgery.record(0, "r\(id)")
      item.payload.removeLast(3)
      item.payload += [launches, 0, 0, 0, 0, 0, 0, 0, 0, flags, 0, 0]
      return item
    }
    let forged = Forgery(
      header: header,
      [
        Forgery.record(nil), record(1, launches: 5, flags: 1), record(2, launches: 1, flags: 2),
        record(3, launches: 1, flags: 0), record(4, launches: 2, flags: 4),
      ])
    let path = try drawer.write(forged.bytes, "forged")
    let since = #"since "2001-01-01T00:00:00Z""#
    let lines = runTool("show", path).lines.dropFirst(2).map { String($0.dropFirst(13)) }
    #expect(
      lines == [
        "r1 · launches 5 · \(since) · expiring true", "r2 · launches 1 · \(since) · displaced true",
        "r3 · launches 1 · \(since)",
        "r4 · leftOut true · launches 2 · \(since)",
      ])
    let json = runTool("show", "--json", path).lines
    #expect(
      json[3].contains(#","launches":5,"since":"2001-01-01T00:00:00Z","expiring":true,"values""#))
    #expect(!json[5].contains("leftOut"))
    #expect(json[6].contains(#","leftOut":"#))
  }
}
