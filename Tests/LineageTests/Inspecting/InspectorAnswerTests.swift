import Foundation
import Lineage
import LineageTestSupport
import Testing

private enum Side: ContextKey { typealias Value = Notebook }
private enum Side2: ContextKey { typealias Value = Notebook }

@Suite("The answers of an inspector's page", .hangGuard)
struct InspectorAnswerTests {
  private let folder: Drawer

  init() throws { folder = try Drawer() }

  private static let keys: [any ContextKey.Type] = [
    Theme.self, Session.self, Notebook.self, Side.self, Side2.self,
  ]

  @Test("In random trees, they are those of explain", arguments: Strategy.allCases)
  func random(_ strategy: Strategy) throws {
    for seed in 1...UInt64(rounds(120)) {
      var random = SplitMix64(seed: seed)
      let application = Application(strategy: strategy)
      var all: [Responder] = [application]
      for number in 0..<random.below(30) {
        let screen = Screen("s\(number)")
        // Half of the trees are deep.
        let parent = seed.isMultiple(of: 2) ? all[all.count - 1] : all[random.below(all.count)]
        try parent.append(screen)
        all.append(screen)
      }
      for _ in 0..<random.below(25) {
        change(all[random.below(all.count)], &random)
        if random.chance(20) { application.drain() }
      }
      // A subtree that left can have what another responder misses.
      if random.chance(40), all.count > 1 {
        all[1 + random.below(all.count - 1)].removeFromParent()
      }
      let asker = random.pick(all)
      let page = try PageReader(of: asker, in: folder.url)
      #expect(page.path(page.data.asker) == asker.path)
      page.check(asker.top, Self.keys, "seed \(seed)")
    }
  }

  private func change(_ responder: Responder, _ random: inout SplitMix64) {
    let notebooks: [any ContextKey<Notebook>.Type] = [Notebook.self, Side.self, Side2.self]
    let key = notebooks[random.below(notebooks.count)]
    func change<K: ContextKey<Notebook>>(_ key: K.Type, _ random: inout SplitMix64) {
      switch random.below(9) {
      case 0: responder.provide(Notebook("n\(random.below(3))"), for: key)
      case 1: responder.branch(key, random.chance(50) ? .keep : .follow)
      case 2: responder.block(key)
      case 3: _ = responder.expect(key)
      case 4: responder.expect(key).fail(Mishap("broken"))
      case 5: _ = responder.context(key)
      case 6: responder.context(key)?.hasUnsavedChanges = true
      case 7: responder.provide(Theme("dark"))
      default: random.chance(50) ? responder.block(Theme.self) : responder.provide(Session("ann"))
      }
    }
    change(key, &random)
  }

  @Test("A page of 1,000 responders with ten keys each has at most 1 KB a responder")
  func size() throws {
    for depth in [1, 30, 300] {
      let application = Application()
      var last: Responder = application
      for number in 0..<999 {
        let screen = Screen("screen \(number)")
        try (number % depth == 0 ? application : last).append(screen)
        last = screen
        provide(to: screen)
      }
      let page = try PageReader(of: application, in: folder.url)
      #expect(page.data.keys.map(\.owners.count) == Array(repeating: 999, count: 10))
      #expect(page.text.utf8.count <= 1_000 * 1_024, "\(depth): \(page.text.utf8.count)")
    }
  }

  @Test("A page grows with slots, and not with responders and keys")
  func growth() throws {
    func size(_ count: Int) throws -> Int {
      let application = Application()
      provide(to: application)
      for number in 0..<count { try application.append(Screen("screen \(number)")) }
      return try PageReader(of: application, in: folder.url).text.utf8.count
    }
    // A responder without slots has its name, and four numbers.
    #expect(try size(1_000) - size(100) <= 900 * 40)
  }

  @Test("A page visits each responder and slot a bounded number of times, also in a chain")
  func visits() throws {
    let slots: [(name: String, make: (Screen) -> Void)] = [
      ("values", { $0.provide(Notebook("n")) }), ("blocks", { $0.block(Notebook.self) }),
      ("branches", { $0.branch(Notebook.self) }), ("pending", { _ = $0.expect(Notebook.self) }),
    ]
    for slot in slots {
      // A chain, a fan, and a chain with a fan at its end.
      for chained in [1.0, 0, 0.5] {
        func visits(_ count: Int) throws -> Int {
          let application = Application()
          var last: Responder = application
          for number in 0..<count {
            let screen = Screen("\(number)")
            try last.append(screen)
            if Double(number) < chained * Double(count) { last = screen }
            slot.make(screen)
          }
          return application.inspectionVisits
        }
        let (few, many) = (try visits(250), try visits(1_000))
        #expect(many <= few * 5 && many <= 1_000 * 100, "\(slot.name), \(chained): \(few), \(many)")
      }
    }
  }

  private func provide(to responder: Responder) {
    let keys: [any ContextKey<Int>.Type] = [
      Numbered<Bool>.self, Numbered<Int8>.self, Numbered<Int16>.self, Numbered<Int32>.self,
      Numbered<Int64>.self, Numbered<UInt8>.self, Numbered<UInt16>.self, Numbered<UInt32>.self,
      Numbered<UInt64>.self, Numbered<String>.self,
    ]
    func provide<Key: ContextKey<Int>>(_ key: Key.Type) { responder.provide(1, for: key) }
    for key in keys { provide(key) }
  }
}

private enum Numbered<Number>: ContextKey { typealias Value = Int }

extension Responder {
  fileprivate var top: Responder { chain.reduce(self) { $1 } }
}
