import Foundation
import LineageTestSupport
import StateRestoration
import Testing

@Suite("show names each fault with its file, its byte and its record")
struct FaultTests {
  let drawer: Drawer

  init() throws { drawer = try Drawer() }

  @Test("A good archive has no faults, and its facts take one line")
  func good() throws {
    let archive = try Samples.archives()[3]
    let path = try drawer.write(archive.bytes)
    let result = runTool("show", path)
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    let line = try #require(result.lines.first)
    #expect(result.faults.isEmpty)
    #expect(line.hasPrefix("\(path): 8 records, \(archive.count) bytes, generation 4, "))
    #expect(line.firstMatch(of: /, saved \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) != nil)
  }

  @Test("A changed byte of a record names the record above, the record, and where it is")
  func changedRecord() throws {
    let bytes = try Samples.archives()[0].bytes
    let paths = ["notes › record 3", "notes › record 4", "notes › note (2) › record 6"]
    for (id, path) in zip([3, 4, 6], paths) {
      let item = Forgery(bytes).items[id]
      var damaged = bytes
      damaged[item.position + Forgery.Item.headerSize + item.payload.count - 1] ^= 1
      let result = runTool("show", try drawer.write(damaged))
      #expect(result.status == 1)
      let line = try #require(result.faults.first)
      #expect(
        line.contains(": byte \(item.position): \(path): The bytes of the record were changed."))
      #expect(result.faults.count == 1)
    }
  }

  @Test("A changed byte of any record is found, and the fault begins at the record")
  func changedItems() throws {
    let bytes = try Samples.archives()[0].bytes
    for item in Forgery(bytes).items.dropLast() {
      // A changed length makes the whole archive unusable.
      for offset in 4..<Forgery.Item.headerSize + item.payload.count {
        var damaged = bytes
        damaged[item.position + offset] ^= 0x10
        let result = runTool("show", try drawer.write(damaged))
        #expect(result.status == 1)
        #expect(result.output.contains(": byte \(item.position): "), "\(result.output)")
      }
    }
  }

  @Test("Cut at each byte, the fault is where the last whole record ends")
  func cuts() throws {
    let bytes = try Samples.archives()[3].bytes
    let ends = Forgery(bytes).items.map(\.position) + [bytes.count]
    for count in bytes.indices {
      let result = runTool("show", try drawer.write(Array(bytes[..<count])))
      #expect(result.status == 1, "\(count): \(result.output)")
      guard count > 24 else { continue }
      let last = ends.last { $0 <= count } ?? 0
      #expect(
        result.output.contains("byte \(last): The archive is damaged: "),
        "\(count): \(result.output)")
    }
  }

  @Test("A value that cannot be read is named by its record and key")
  func values() throws {
    let header = try Samples.archives()[0].bytes
    let values: [(String, [UInt8], String)] = [
      ("a", [99], "no value begins with the byte 99"),
      ("b", [7, 9, 65], "a length is beyond their end"),
      ("c", [7, 2, 0xC3, 0x28], "a text is not UTF-8"),
      ("d", [1, 1], "there are more bytes than one value has"),
      ("e", [12, 9, 0, 0, 0, 1, 0, 0, 0], "a length is beyond their end"),
      ("f", [12, 1, 0, 0, 0, 2, 0, 0, 0, 1], "a length is beyond their end"),
      ("g", [], "they end where a value begins"),
    ]
    for (key, value, reason) in values {
      let forged = Forgery(
        header: header,
        [
          Forgery.record(nil), Forgery.record(0, "screen", [("good", [1]), (key, value)]),
        ])
      let result = runTool("show", try drawer.write(forged.bytes))
      #expect(result.status == 1)
      #expect(result.faults[0].contains("screen: key \"\(key)\": "), "\(result.output)")
      #expect(result.faults[0].contains(reason), "\(result.output)")
    }
  }

  @Test("A record in an impossible place, or a second application, is named")
  func trees() throws {
    let header = try Samples.archives()[0].bytes
    let forged = Forgery(
      header: header,
      [
        Forgery.record(nil), Forgery.record(0, "one"), Forgery.record(0, "two", role: 4),
        Forgery.record(2, "three", [("k", [1]), ("k", [2])]), Forgery.record(1, "four"),
        Forgery.record(9, "five"),
      ])
    let result = runTool("show", try drawer.write(forged.bytes))
    #expect(result.status == 1)
    for text in [
      "two: It is a second record of an application", "It may be \"four\".", "It may be \"five\".",
      "two › three: key \"k\": The key is there twice.",
    ] {
      #expect(result.output.contains(text), "\(text)\n\(result.output)")
    }
  }

  @Test("A newer format and foreign bytes cannot be read, an empty file is damaged")
  func problems() throws {
    let newer = Forgery.forge(try Samples.archives()[0].bytes, format: 9)
    let result = runTool("show", try drawer.write(newer))
    #expect(result.status == 2)
    #expect(result.output.contains("The archive has format 9, which a newer version has written."))
    for options in [["show"], ["show", "--json"]] {
      #expect(runTool(options + [try drawer.write(newer)]).status == 2)
      #expect(runTool(options + [try drawer.write(Array("hello".utf8))]).status == 2)
      #expect(runTool(options + [try drawer.write([])]).status == 1)
      #expect(runTool(options + [drawer.file("absent").path]).status == 2)
    }
  }

  @Test("Of very many faults the first thousand are named, and the others are counted")
  func manyFaults() throws {
    let header = try Samples.archives()[0].bytes
    let count = 2_500
    let forged = Forgery(
      header: header,
      (0..<count).map { Forgery.record($0 == 0 ? nil : 0, "n") })
    var bytes = forged.bytes
    for item in Forgery(bytes).items.dropFirst(3).dropLast() {
      bytes[item.position + Forgery.Item.headerSize] ^= 1
    }
    let path = try drawer.write(bytes)
    let result = runTool("show", path)
    #expect(result.status == 1)
    #expect(result.faults.count == 1_000)
    #expect(result.lines[1_001].hasSuffix(" more faults"))
    #expect(result.faults[0].contains("record 3: The bytes of the record were changed."))
    #expect(result == runTool("show", path))
    #expect(result.complaint == nil)
  }
}
