import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A reference leads to the same sibling again, while siblings come and go")
struct SiblingTests {
  private final class Pointer: Controller {
    @Restorable("target") var target: Controller?
  }

  private static func restoration() -> Restoration {
    Restoration { Kind("pointer", Pointer.init) }
  }

  private static func pointers(_ app: Application) -> [Pointer] {
    app.children.compactMap { $0 as? Pointer }
  }

  @Test("Each reference among many siblings, after random changes", arguments: [4, 60])
  func references(count: Int) throws {
    let seed = SplitMix64.seed(5)
    var generator = SplitMix64(seed: seed)
    let app = Application()
    let restoration = Self.restoration()
    app.launch(restoring: restoration, from: nil)
    func add(at index: Int) throws {
      let pointer = Pointer()
      pointer.restorationIdentifier = Bool.random(using: &generator) ? "pointer" : "other"
      pointer.restorationKind = "pointer"
      try app.insert(pointer, at: index)
    }
    for index in 0..<count { try add(at: index) }
    for round in 0..<8 {
      for _ in 0..<5 {
        let index = Int.random(in: 0..<app.children.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: try add(at: index)
        case 1: try app.reorder(app.children[index], to: 0)
        case 2 where app.children.count > 3: app.children[index].removeFromParent()
        default: app.children[index].restorationIdentifier = "pointer"
        }
      }
      let pointers = Self.pointers(app)
      var expected: [Int] = []
      for pointer in pointers {
        pointer.restorationKind = "pointer"
        expected.append(Int.random(in: 0..<pointers.count, using: &generator))
        pointer.target = pointers[expected.last ?? 0]
      }
      let archive =
        round % 2 == 0 ? restoration.archive(of: app) : restoration.archive(of: app, asksAll: false)
      #expect(restoration.report.problems == [])
      let again = Application()
      let next = Self.restoration()
      again.launch(restoring: next, from: archive)
      let restored = Self.pointers(again)
      #expect(restored.count == pointers.count)
      for (number, pointer) in restored.enumerated() {
        #expect(
          pointer.target === restored[expected[number]],
          "LINEAGE_SEED=\(seed), round \(round), \(number)")
      }
      #expect(next.report.notes.allSatisfy { !$0.contains("misses") })
      for pointer in pointers + restored { pointer.target = nil }
    }
  }
}
