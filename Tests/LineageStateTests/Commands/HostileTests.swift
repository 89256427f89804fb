import Foundation
import LineageState
import LineageTestSupport
import StateRestoration
import Testing

/// Tests with archives that are made to exhaust the memory, the stack or the time of a reader.
@Suite("The tool on hostile archives", .hangGuard)
struct HostileTests {
  static let count = rounds(1_000_000)

  /// The hostile archives, by name. Each closure returns the items of its archive.
  static let archives: [String: @Sendable () -> [Forgery.Item]] = [
    "a chain of records": {
      let count = rounds(100_000)
      return (0..<count).map { Forgery.record($0 == 0 ? nil : $0 - 1, "n") }
    },
    "siblings": {
      let count = rounds(100_000)
      return (0..<count).map { Forgery.record($0 == 0 ? nil : 0, "n") }
    },
    "empty records": {
      [Forgery.record(nil)]
        + [Forgery.Item](repeating: Forgery.Item(parent: 0, payload: []), count: count / 10)
    },
    "records below none": {
      (0..<count / 10).map { Forgery.record($0 == 0 ? nil : Int(UInt32.max) - $0, "n") }
    },
    "records below later ones": {
      (0..<count / 10).map { Forgery.record($0 == 0 ? nil : count / 10 - $0, "n") }
    },
    "nested arrays": { [Forgery.record(nil, "", [("k", nested(12))])] },
    "nested dictionaries": { [Forgery.record(nil, "", [("k", nested(13))])] },
    "optionals of optionals": {
      [Forgery.record(nil, "", [("k", [UInt8](repeating: 17, count: count) + [0])])]
    },
    "announced elements": {
      let extreme: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
      return [
        Forgery.record(
          nil, "",
          [12, 13, 14].map { ("k\($0)", [$0] + extreme + extreme) }
            + [7, 8, 15].map { ("k\($0)", [$0] + Array(repeating: 0xFF, count: 9) + [1]) }),
        Forgery.Item(parent: 0, payload: extreme + extreme),
        Forgery.Item(parent: 0, payload: [4, 0, 0, 0] + extreme + extreme),
      ]
    },
    "values": {
      let one: (key: String, value: [UInt8]) = ("k", [1])
      return [Forgery.record(nil, "", Array(repeating: one, count: count / 10))]
    },
    "long texts": {
      let text = String(repeating: "\u{1B}]0;", count: count)
      return [
        Forgery.record(nil, text, kind: text, [(text, [7] + Forgery.text(text))]),
        Forgery.record(0, text, kind: text, [("k", [11] + Forgery.text(text))]),
        Forgery.record(1, "x", [("k", [99])]),
      ]
    },
    "slots and needs": {
      var item = Forgery.record(nil)
      item.payload.removeLast(2)
      item.payload += Forgery.varint(count) + [UInt8](repeating: 0, count: count)
      item.payload += Forgery.varint(count) + (0..<2 * count).map { UInt8($0 % 2 * 3) }
      return [item]
    },
    "references to responders": {
      let references: [UInt8] = (0..<count).flatMap { [15, UInt8($0 % 99), 0, 0, 0, 0, 0, 0, 0] }
      let head: [UInt8] = [12] + Forgery.word(references.count) + Forgery.word(count)
      let array = head + references
      return [Forgery.record(nil, "", [("k", array)])]
    },
    "damaged records below long paths": {
      let name = String(repeating: "long", count: 1_000)
      var items = [Forgery.record(nil, name)]
      for level in 1..<2_000 {
        // The record of level n has the index 2 * n - 1, and a damaged record follows.
        let parent = max(2 * level - 3, 0)
        items += [Forgery.record(parent, name), Forgery.Item(parent: parent, payload: [1])]
      }
      return items
    },
  ]

  /// Returns a deep nesting of containers with the given tag.
  private static func nested(_ tag: UInt8) -> [UInt8] {
    let count = rounds(100_000)
    var bytes: [UInt8] = []
    for level in 0..<count {
      let size = tag == 12 ? 9 : 10
      bytes +=
        [tag] + Forgery.word((count - level - 1) * size) + Forgery.word(level < count - 1 ? 1 : 0)
      if tag == 13, level < count - 1 { bytes.append(0) }
    }
    return bytes
  }

  @Test(
    "Text and JSON end, and are in proportion to the file", arguments: archives.keys.sorted())
  func bounded(_ name: String) throws {
    let header = try Samples.archives()[0].bytes
    let items = try #require(Self.archives[name])
    let bytes = Forgery(header: header, items()).bytes
    let drawer = try Drawer()
    let path = try drawer.write(bytes)
    for command in [["show"], ["show", "--json"]] {
      let result = runTool(command + [path])
      #expect(result.complaint == nil)
      // A record takes at least 20 bytes of the file, and at most a few thousand of the output.
      let limit = 1_000_000 + 120 * bytes.count
      #expect(result.output.utf8.count < limit, "\(command): \(result.output.utf8.count)")
    }
  }

  @Test("Values nested 512 deep are good, and deeper ones are not")
  func depth() throws {
    let header = try Samples.archives()[0].bytes
    let drawer = try Drawer()
    for depth in [199, 200, 201, 511, 512, 513] {
      var value: [UInt8] = [3, 14]
      for _ in 0..<depth { value = [12] + Forgery.word(value.count) + Forgery.word(1) + value }
      let path = try drawer.write(
        Forgery(header: header, [Forgery.record(nil, "", [("k", value)])]).bytes)
      #expect(runTool("show", path).status == (depth <= 512 ? 0 : 1))
      let exported = runTool("show", "--json", path).output
      // Foundation refuses JSON with more than 512 levels.
      #expect(throws: Never.self) {
        try JSONSerialization.jsonObject(with: Data(exported.utf8))
      }
      #expect(exported.contains("$deep") == (depth > 200 && depth <= 512))
      #expect(exported.contains("$damaged") == (depth > 512))
    }
  }

  @Test("A date may be any number")
  func dates() throws {
    let header = try Samples.archives()[0].bytes
    let drawer = try Drawer()
    let texts: [(Double, String)] = [
      (0, "\"2001-01-01T00:00:00Z\""), (-0.5, "\"2000-12-31T23:59:59.500Z\""),
      (252_423_993_598.5, "\"9999-12-31T23:59:58.500Z\""), (252_423_993_599, "null"),
      (-63_113_904_000, "null"), (1e300, "null"), (-1e300, "null"), (.infinity, "null"),
      (.nan, "null"),
    ]
    for (seconds, text) in texts {
      let bytes = withUnsafeBytes(of: seconds.bitPattern.littleEndian) { Array($0) }
      let path = try drawer.write(
        Forgery(header: header, [Forgery.record(nil, "", [("k", [9] + bytes)])]).bytes)
      let json = runTool("show", "--json", path)
      #expect(json.output.contains(#"{"$date":\#(text),"seconds":"#), "\(json.output)")
      #expect(throws: Never.self) {
        try JSONSerialization.jsonObject(with: Data(json.output.utf8))
      }
    }
  }

  @Test("Texts of an archive cannot act on a terminal")
  func escapes() throws {
    let header = try Samples.archives()[0].bytes
    let drawer = try Drawer()
    let scalars: [Unicode.Scalar] = [
      "\u{0}", "\u{7}", "\u{8}", "\n", "\r", "\t", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{9D}",
      "\u{AD}", "\u{200B}", "\u{200E}", "\u{2028}", "\u{2029}", "\u{202E}", "\u{2066}", "\u{FEFF}",
      "\u{E0041}",
    ]
    for scalar in scalars {
      let text = "a\(scalar)[31mb"
      let forged = Forgery(
        header: header,
        [
          Forgery.record(nil, "", [(text, [7] + Forgery.text(text))]),
          Forgery.record(
            0, text, kind: text,
            [
              ("t", [16] + Forgery.text(text) + Forgery.text(text)),
              ("u", [11] + Forgery.text(text)), ("d", [18] + Forgery.text(text)),
              ("p", [15] + Forgery.varint(text.utf8.count + 3) + [1] + Forgery.text(text) + [0]),
              (text + "2", [99]),
            ]),
          Forgery.record(0, text, role: 3),
        ])
      let path = try drawer.write(forged.bytes)
      for command in [["show"], ["show", "--json"]] {
        let result = runTool(command + [path])
        #expect(result.complaint == nil, "\(command): U+\(scalar.value): \(result.output)")
        #expect(result.output.contains("[31mb"))
      }
      let json = runTool("show", "--json", path).output
      let parsed = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
      let records = try #require(parsed?["records"] as? [[String: Any]])
      #expect(records[1]["identifier"] as? String == text)
      #expect(records[1]["kind"] as? String == text)
      #expect((records[0]["values"] as? [String: Any])?[text] as? String == text)
    }
    #expect(runTool("show", "/no\u{1B}where").complaint == nil)
  }
}
