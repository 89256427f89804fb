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
