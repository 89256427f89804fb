import LineageTestSupport
import ResponderChain
import Testing

/// Tests that a lookup jumps over eight providers in one step if none of them has the bit of the
/// key.
@Suite("Jumps over many providers")
@MainActor
struct RouteTests {
  static let keys = numberedKeys(100)
  /// A key that has the same bit as another key. There is one because there are more keys than
  /// bits.
  static let wanted =
    keys.first { key in keys.count { maskIndex(of: $0) == maskIndex(of: key) } > 1 } ?? keys[0]

  /// Builds a chain of pages below an application. The application provides ``wanted``. Each page
  /// provides another key with a different bit.
  static func line(_ count: Int, _ strategy: Strategy = .skipping) throws -> [Responder] {
    let others = keys.filter { maskIndex(of: $0) != maskIndex(of: wanted) }
    var line: [Responder] = [Application(strategy: strategy)]
    for number in 1...count {
      let page = Page("\(number)")
      try line[number - 1].append(page)
      let other = others[number % others.count]
      give(number, other, page)
      line.append(page)
    }
    give(0, wanted, line[0])
    return line
  }

  func steps<K: NumberKey>(_ key: K.Type, _ responder: Responder) -> Int {
    responder.steps(toFind: key)
  }

  @Test(
    "A lookup takes a step for eight providers", arguments: [1, 2, 7, 8, 9, 16, 17, 63, 64, 65])
  func steps(_ count: Int) throws {
    let line = try Self.line(count)
    defer { withExtendedLifetime(line) {} }
    #expect(read(Self.wanted, line[count]) == 0)
    // One more step at the application, which has the slot.
    #expect(steps(Self.wanted, line[count]) == (count + 7) / 8 + 1)
  }

  @Test(
    "The second lookup takes at most providing ancestors + 1 steps",
    arguments: [0, 1, 4, 16, 64])
  func secondLookup(_ providers: Int) throws {
    let application = Application(strategy: .skipping)
    application.provide(Theme("root"))
    var bottom: Responder = application
    for depth in 1...128 {
      let next = Page("\(depth)")
      try bottom.append(next)
      if depth <= providers { next.provide(Session("\(depth)")) }
      bottom = next
    }
    _ = bottom.context(Theme.self)
    #expect(bottom.steps(toFind: Theme.self) <= providers + 1 + 1)
    #expect(bottom.context(Theme.self) == Theme("root"))
    let baton = Application(strategy: .baton)
    baton.provide(Theme("root"))
    try baton.append(try #require(application.children.first))
    #expect(bottom.steps(toFind: Theme.self) == 1)
  }

  @Test("A slot that appears inside a jump is found", arguments: [6, 7, 8, 9, 15, 16, 17, 40])
  func between(_ count: Int) throws {
    let line = try Self.line(count)
    defer { withExtendedLifetime(line) {} }
    for (place, provider) in line.enumerated().dropFirst() {
      for responder in line { #expect(read(Self.wanted, responder) == 0) }
      give(place, Self.wanted, provider)
      for (number, responder) in line.enumerated() {
        #expect(read(Self.wanted, responder) == (number < place ? 0 : place))
      }
      #expect(line.flatMap { $0.checkInvariants() } == [])
      try withdraw(Self.wanted, provider)
    }
    #expect(read(Self.wanted, line[count]) == 0)
  }

  @Test("A key whose bit others have is found through the tables", arguments: [8, 16, 40])
  func collisions(_ count: Int) throws {
    let line = try Self.line(count)
    defer { withExtendedLifetime(line) {} }
    let twin = try #require(
      Self.keys.last { maskIndex(of: $0) == maskIndex(of: Self.wanted) })
    for provider in line.dropFirst() { give(-1, twin, provider) }
    #expect(read(Self.wanted, line[count]) == 0)
    try withdraw(Self.wanted, line[0])
    #expect(read(Self.wanted, line[count]) == nil)
  }

  @Test("What is detached above a jump is not found any more", arguments: [9, 17, 40])
  func detaching(_ count: Int) throws {
    let line = try Self.line(count)
    defer { withExtendedLifetime(line) {} }
    for cut in stride(from: count, to: 0, by: -3) {
      #expect(read(Self.wanted, line[count]) == 0)
      line[cut].removeFromParent()
      #expect(read(Self.wanted, line[count]) == nil)
      #expect(read(Self.wanted, line[cut - 1]) == 0)
      try line[cut - 1].append(line[cut])
    }
  }

  @Test("A leaf that becomes a provider reads its own slot at once", arguments: Strategy.allCases)
  func leaf(_ strategy: Strategy) throws {
    let line = try Self.line(3, strategy)
    defer { withExtendedLifetime(line) {} }
    #expect(read(Self.wanted, line[3]) == 0)
    give(3, Self.wanted, line[3])
    #expect(read(Self.wanted, line[3]) == 3)
    try withdraw(Self.wanted, line[3])
    #expect(read(Self.wanted, line[3]) == 0)
  }
}
