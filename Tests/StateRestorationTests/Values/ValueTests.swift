import Foundation
import ResponderChain
import StateRestoration
import Testing

@Suite("Each value is read as it was written")
struct ValueTests {
  /// A controller that writes and reads one value under the key "value".
  private final class Holder<Value: RestorableValue>: Controller, StateRestoring {
    var value: Value?
    var problem: (any Error)?

    init(_ value: Value? = nil) {
      self.value = value
      super.init()
      restorationIdentifier = "holder"
    }

    func encodeRestorableState(with coder: StateEncoder) throws {
      if let value { try coder.encode(value, for: "value") }
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      do { value = try coder.decode("value") } catch { problem = error }
    }
  }

  private static func archive<Value: RestorableValue>(of value: Value) throws -> StateArchive {
    let app = Application()
    try app.append(Holder(value))
    let restoration = Restoration {}
    let archive = restoration.archive(of: app)
    #expect(restoration.report.problems == [])
    return archive
  }

  private static func read<Value: RestorableValue>(
    _ type: Value.Type, _ archive: StateArchive
  ) throws -> Holder<Value> {
    let app = Application()
    let holder = Holder<Value>()
    try app.append(holder)
    app.launch(restoring: Restoration {}, from: archive)
    return holder
  }

  private static func check<Value: RestorableValue & Equatable>(_ values: Value...) throws {
    for value in values {
      let holder = try read(Value.self, archive(of: value))
      #expect(holder.problem == nil, "\(value)")
      #expect(holder.value == value)
    }
  }

  private struct Place: Codable, Equatable, RestorableValue {
    var name: String
    var point: Point
    var tags: [String: [Int]]
    var seen: Set<String>
    var when: Date?
    var link: URL?
    var inner: [Place]
    struct Point: Codable, Equatable {
      var x: Double
      var y: Float
    }
  }

  private enum Mode: String, RestorableValue { case light, dark }
  private enum Level: Int, Codable, RestorableValue { case low = -1, high = 1 }

  @Test("Numbers at their ends, texts, dates and the other basic types")
  func basics() throws {
    try Self.check(true, false)
    try Self.check(Int.min, -1, 0, 1, 63, 64, Int.max)
    try Self.check(Int8.min, Int8.max)
    try Self.check(Int16.min, Int16.max)
    try Self.check(Int32.min, Int32.max)
    try Self.check(Int64.min, Int64.max)
    try Self.check(UInt.min, UInt.max)
    try Self.check(UInt8.max)
    try Self.check(UInt16.max)
    try Self.check(UInt32.max)
    try Self.check(UInt64.max)
    try Self.check(0.1, -0.0, .infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude)
    try Self.check(Float(0.1), .infinity)
    try Self.check("", "text", "\0 \u{1F600} é", String(repeating: "x", count: 100_000))
    try Self.check(Data(), Data([0, 255]), Data(repeating: 7, count: 300))
    try Self.check(Date.distantPast, Date(timeIntervalSinceReferenceDate: 0.1))
    try Self.check(UUID())
    try Self.check(try #require(URL(string: "https://example.org/a%20b?c=d#e")))
    try Self.check(Decimal.zero, Decimal(string: "-0.1") ?? 0, Decimal.greatestFiniteMagnitude)
    let holder = try Self.read(Double.self, Self.archive(of: Double.nan))
    #expect(holder.value?.isNaN == true)
  }

  @Test("Arrays, sets, dictionaries and optionals, nested")
  func collections() throws {
    try Self.check([Int](), [1, -2, .max])
    try Self.check([UInt8](), [1, 255])
    try Self.check([[1], [], [2, 3]], [])
    try Self.check(["a": 1, "b": 2], [:])
    try Self.check(["a": ["b": [1.5]]])
    try Self.check(Set<String>(), ["a", "b", "c"])
    try Self.check([nil, 1, nil] as [Int?])
    try Self.check([.some(nil), nil, .some(1)] as [Int??])
    try Self.check(["x": nil, "y": "z"] as [String: String?])
    try Self.check(Mode.dark)
    try Self.check([Level.low, .high])
  }

  @Test("Codable values, with dictionaries and sets in one order")
  func codable() throws {
    let inner = Place(
      name: "inner", point: .init(x: 0, y: 1), tags: [:], seen: [], when: nil, link: nil, inner: [])
    let place = Place(
      name: "here", point: .init(x: 1.5, y: -2), tags: ["a": [1, 2], "b": [], "c": [3]],
      seen: ["x", "y", "z"], when: Date(timeIntervalSinceReferenceDate: 5),
      link: URL(string: "https://example.org"), inner: [inner, inner])
    try Self.check(place)
    try Self.check([place, inner])
    let first = try Self.archive(of: place)
    for size in 1...5 {
      // With another capacity, sets and dictionaries have another order of iteration.
      var copy = place
      copy.seen = Set(minimumCapacity: 20 * size)
      copy.seen.formUnion(["z", "y", "x"])
      copy.tags = Dictionary(minimumCapacity: 20 * size)
      for key in ["c", "b", "a"] { copy.tags[key] = place.tags[key] }
      #expect(copy == place)
      #expect(try Self.archive(of: copy) == first)
    }
  }

  @Test("A value of another type or out of range is an error that says what is there")
  func mismatches() throws {
    let text = try Self.archive(of: "text")
    #expect(
      try Self.read(Int.self, text).problem as? StateError
        == StateError(.otherType(expected: "Int", found: "String")))
    #expect(
      try Self.read(UInt8.self, Self.archive(of: 300)).problem as? StateError
        == StateError(.outOfRange("300", type: "UInt8")))
    #expect(
      try Self.read(Mode.self, text).problem as? StateError
        == StateError(.refused("text", type: "Mode")))
    #expect(try Self.read([Int].self, text).problem != nil)
    #expect(try Self.read([String: Int].self, text).problem != nil)
    #expect(try Self.read(Place.self, text).problem != nil)
    #expect(try Self.read(Date.self, text).problem != nil)
    #expect(try Self.read(Bool.self, text).problem != nil)
  }

  /// A value that writes itself to containers in containers.
  private struct Woven: Codable, Equatable, RestorableValue {
    var base: String
    var note: UInt16
    var rows: [[Int8?]]

    enum Key: CodingKey { case note, rows, inner }

    init(_ base: String, _ note: UInt16, _ rows: [[Int8?]]) {
      (self.base, self.note, self.rows) = (base, note, rows)
    }

    init(from decoder: any Decoder) throws {
      let whole = try decoder.container(keyedBy: Key.self)
      base = try String(from: whole.superDecoder())
      note = try UInt16(from: whole.superDecoder(forKey: .note))
      let inner = try whole.nestedContainer(keyedBy: Key.self, forKey: .inner)
      var lines = try inner.nestedUnkeyedContainer(forKey: .rows)
      rows = []
      while !lines.isAtEnd {
        var line = try lines.nestedUnkeyedContainer()
        var row: [Int8?] = []
        while !line.isAtEnd { row.append(try line.decodeNil() ? nil : line.decode(Int8.self)) }
        rows.append(row)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var whole = encoder.container(keyedBy: Key.self)
      try base.encode(to: whole.superEncoder())
      try note.encode(to: whole.superEncoder(forKey: .note))
      var inner = whole.nestedContainer(keyedBy: Key.self, forKey: .inner)
      var lines = inner.nestedUnkeyedContainer(forKey: .rows)
      for row in rows {
        var line = lines.nestedUnkeyedContainer()
        for number in row {
          if let number { try line.encode(number) } else { try line.encodeNil() }
        }
      }
    }
  }

  @Test("Containers in containers, and the values of superclasses")
  func containers() throws {
    try Self.check(Woven("", 0, []), Woven("base", .max, [[], [1, nil, -128], [nil]]))
  }

  /// A value that writes to a container that has ended, in one of several ways.
  private struct Late: Codable, RestorableValue {
    let way: Int

    func encode(to encoder: any Encoder) throws {
      var outer = encoder.unkeyedContainer()
      var inner = outer.nestedUnkeyedContainer()
      try outer.encode(way)
      switch way {
      case 0: try inner.encode(1)
      case 1: try inner.encodeNil()
      case 2: try 1.encode(to: inner.superEncoder())
      case 3: try [1].encode(to: inner.superEncoder())
      case 4:
        var nested = inner.nestedContainer(keyedBy: Woven.Key.self)
        try nested.encode("text", forKey: .note)
      default:
        var nested = inner.nestedUnkeyedContainer()
        try nested.encode(1)
      }
    }
  }

  @Test("Writing to a container that has ended is an error", arguments: 0...5)
  func ended(way: Int) throws {
    let app = Application()
    try app.append(Holder(Late(way: way)))
    let restoration = Restoration {}
    _ = restoration.archive(of: app)
    let problems = restoration.report.problems
    #expect(problems.count == 1 && problems.allSatisfy { $0.contains("has ended") })
  }

  /// A value that can contain itself.
  private final class Ring: Codable, RestorableValue {
    var next: Ring?
  }

  @Test("A value that is nested too deep is refused")
  func tooDeep() throws {
    let ring = Ring()
    ring.next = ring
    let app = Application()
    try app.append(Holder(ring))
    let restoration = Restoration {}
    _ = restoration.archive(of: app)
    #expect(restoration.report.problems.count == 1)
    ring.next = nil
  }
}
