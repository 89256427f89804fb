import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

@Suite("What requests of any origin may ask for")
struct LimitTests {
  private func decode(_ text: String) throws -> Condition {
    try JSONDecoder().decode(Condition.self, from: Data(text.utf8))
  }

  /// Returns the message of the decoding error that a closure throws.
  private func reason(_ body: () throws -> some Any) throws -> String {
    let error = try #require(throws: DecodingError.self) { _ = try body() }
    guard case .dataCorrupted(let context) = error,
      let underlying = context.underlyingError as? GraphError,
      case .tooLarge(let message) =
        underlying.reason
    else { return "\(error)" }
    return message
  }

  @Test("A deep condition is a list of steps in JSON and in property lists, and comes back")
  func steps() throws {
    var random = RandomConditions(seed: SplitMix64.seed(31))
    for levels in [20, 32, 33, 34, 60, 400, RequestLimit.levels.most - 3] {
      let filter = random.deep(levels: levels)
      let request = FetchRequest(filter: filter)
      let json = try JSONEncoder().encode(request)
      #expect(try JSONDecoder().decode(FetchRequest<Sample>.self, from: json) == request)
      let list = try PropertyListEncoder().encode(request)
      #expect(try PropertyListDecoder().decode(FetchRequest<Sample>.self, from: list) == request)
      #expect(
        String(decoding: json, as: UTF8.self).contains("steps") == (filter.condition.levels > 32))
    }
  }

  @Test("The form of steps stays the same")
  func form() throws {
    let text = """
      {"steps":[{"property":"flag","is":"equal","value":{"integer":1}},{"not":1},
      {"constant":true},{"and":2},{"any":"friends"},{"all":"group.members"},{"constant":false},
      {"or":2}]}
      """
    let flag = Condition.compare(PropertyPath(name: "flag"), .equal, .integer(1))
    #expect(
      try decode(text)
        == .or([
          .all(
            ToManyPath(relations: ["group"], name: "members"),
            .any(ToManyPath(name: "friends"), .and([.not(flag), .constant(true)]))),
          .constant(false),
        ]))
  }

  @Test(
    "Steps that do not fit together are refused",
    arguments: [
      #"[]"#, #"[{"and":1}]"#, #"[{"not":1}]"#, #"[{"constant":true},{"constant":true}]"#,
      #"[{"constant":true},{"and":2}]"#, #"[{"constant":true},{"and":-1}]"#,
      #"[{"constant":true},{"not":2}]"#, #"[{"any":"friends"}]"#,
      #"[{"constant":true},{"and":9223372036854775807}]"#,
    ])
  func misfits(steps: String) {
    #expect(throws: DecodingError.self) { try decode(#"{"steps":\#(steps)}"#) }
  }

  @Test("Trees that versions before this one wrote are read, two hundred levels deep")
  func oldTrees() throws {
    let leaf = #"{"property":"flag","is":"equal","value":{"integer":1}}"#
    var condition = Condition.compare(PropertyPath(name: "flag"), .equal, .integer(1))
    var text = leaf
    for level in 0..<120 {
      switch level % 3 {
      case 0:
        (text, condition) = (#"{"and":[\#(text),\#(leaf)]}"#, .and([condition, try decode(leaf)]))
      case 1: (text, condition) = (#"{"not":\#(text)}"#, .not(condition))
      default:
        (text, condition) = (
          #"{"or":[\#(leaf),{"and":[]},\#(text),{"or":[]}]}"#,
          .or([try decode(leaf), .and([]), condition, .or([])])
        )
      }
    }
    #expect(try decode(text) == condition)
  }

  @Test("Data that exceeds a limit is refused with the limit's name")
  func excess() throws {
    let flag = #"{"constant":true}"#
    func steps(_ list: [String]) -> String { #"{"steps":[\#(list.joined(separator: ","))]}"# }
    #expect(
      try reason {
        try decode(
          steps([flag] + Array(repeating: #"{"not":1}"#, count: 50_000)))
      }.contains("1000 levels"))
    #expect(
      try reason {
        try decode(
          steps([flag] + Array(repeating: #"{"any":"friends"}"#, count: 40)))
      }.contains("32 closures"))
    #expect(
      try reason {
        try decode(
          #"{"or":[\#(Array(repeating: flag, count: 20_001).joined(separator: ","))]}"#)
      }.contains("20000 terms"))
    #expect(
      try reason { try decode(steps(Array(repeating: flag, count: 20_001))) }
        .contains("20000 terms"))
    let path = Array(repeating: "friend", count: 200).joined(separator: ".")
    #expect(
      try reason { try decode(#"{"property":"\#(path)","is":"equal","value":{"null":true}}"#) }
        .contains("100 relations"))
    func request(_ parts: String) throws -> FetchRequest<Sample> {
      try JSONDecoder().decode(
        FetchRequest<Sample>.self, from: Data(#"{"entity":"Sample",\#(parts)}"#.utf8))
    }
    let key = #"{"isDescending":true,"property":"flag"}"#
    let keys = Array(repeating: key, count: 2_001).joined(separator: ",")
    #expect(try reason { try request(#""order":[\#(keys)]"#) }.contains("2000 keys"))
    let far = Array(repeating: #""friend""#, count: 30_000).joined(separator: ",")
    #expect(try reason { try request(#""prefetch":[[\#(far)]]"#) }.contains("100 relations"))
    let many = (0..<1_001).map { #"["r\#($0)"]"# }.joined(separator: ",")
    #expect(try reason { try request(#""prefetch":[\#(many)]"#) }.contains("1000 relations"))
    let equal = Array(repeating: #"["friend","group"]"#, count: 20_000).joined(separator: ",")
    #expect(try request(#""prefetch":[\#(equal)]"#).prefetch.paths.count == 20_000)
  }

  @Test("A filter that exceeds a limit takes nothing more in, and is not written")
  func growth() throws {
    var filter = Filter<Sample> { $0.flag }
    for _ in 0..<200_000 {
      let inner = filter
      filter = !Filter { $0.friends.contains { _ in inner } } && filter || filter
    }
    #expect(filter.condition.terms == 1)
    #expect(throws: GraphError.self) { try JSONEncoder().encode(FetchRequest(filter: filter)) }
    #expect("\(filter)".contains("more than"))
  }

  @Test("Equal paths, and what paths have in common, are prefetched once")
  func prefetching() throws {
    let store = CountingStore(try MemoryStore(StoreLaw.entities))
    let context = ObjectContext(store: store)
    let group = try context.insert(Group())
    let sample = try context.insert(Sample())
    sample.group = group
    sample.friend = sample
    group.leader = sample
    try context.save()
    let paths =
      Array(repeating: ["group", "leader"], count: 10_000)
      + Array(repeating: ["group", "leader", "friend"], count: 10_000) + [["group"]]
    _ = store.take()
    let other = ObjectContext(store: store)
    let found = try other.fetch(
      FetchRequest<Sample>(filter: nil, prefetch: Prefetch(paths: paths)))
    #expect(found.count == 1)
    // The queries are for the samples, the groups, the leaders and the leaders' friends.
    #expect(store.take().calls.queries == 4)
    for (paths, message) in [
      ([Array(repeating: "friend", count: 30_000)], "more than 100 relations in one path"),
      ((0..<1_001).map { ["r\($0)"] }, "more than 1000 relations to prefetch"),
    ] {
      let error = try #require(throws: GraphError.self) {
        _ = try other.fetch(
          FetchRequest<Sample>(filter: nil, prefetch: Prefetch(paths: paths)))
      }
      #expect("\(error)" == "could not fetch Sample: the request has \(message)")
    }
  }

  @Test("A long pattern is looked for in proportion to the text, however it repeats itself")
  func patterns() {
    for (text, needle) in [
      (String(repeating: "a", count: 20_000), String(repeating: "a", count: 5_000) + "b"),
      (String(repeating: "ab", count: 10_000), String(repeating: "ab", count: 3_000) + "c"),
      (String(repeating: "b", count: 20_000), "b" + String(repeating: "a", count: 5_000)),
      (String(repeating: "aab", count: 5_000), "aabaac"),
    ] {
      let pattern = TextPattern(.contains, needle, [])
      #expect(pattern.looks(searching: text) <= 2 * text.utf8.count)
      #expect(!pattern.matches(text))
      #expect(pattern.matches(text + needle + text))
    }
  }
}
