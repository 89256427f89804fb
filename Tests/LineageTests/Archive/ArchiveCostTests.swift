#if os(Linux)
import CLineageAllocations
import Foundation
import Lineage
import LineageTestSupport
import Testing

/// Tests that count allocated bytes in a process of their own, where no other test allocates.
@Suite("Costs of an archive", .disabled(if: isSanitized, "sanitizers bring their own malloc"))
struct ArchiveCostTests {
  typealias Card = LineageTestSupport.Card

  @Test("A chain of drafts, all of which are given, costs in proportion to its length")
  func drafts() async {
    await #expect(processExitsWith: .success) {
      let drawer = try Drawer()
      try Self.expectLinear { count in
        let chain = Self.chain(count) { Object(Card("\($0)")) }
        return { try GraphArchive.save(chain, to: drawer.file("drafts")) }
      }
    }
  }

  @Test("A chain of unsaved objects costs so too, forwards and backwards, also in a child")
  func unsaved() async {
    await #expect(processExitsWith: .success) {
      let drawer = try Drawer()
      let context = try MemoryStore(Library.entities).makeContext()
      try Self.expectLinear { count in
        let chain = try Self.chain(count) { try context.insert(Card("\($0)")) }
        return {
          // The to-many property of the last card leads to all others, one by one.
          try GraphArchive.save([chain[count - 1]], to: drawer.file("members"))
          try GraphArchive.save([chain[0]], to: drawer.file("references"))
          let child = context.makeChild()
          let last = try child.object(with: chain[count - 1].id)
          try GraphArchive.save([last], to: drawer.file("child"))
        }
      }
      let examined = context.bookkeeping.examined
      exit(examined < 5 * (10 + 400 + 800) ? 0 : 1)
    }
  }

  private static func chain(
    _ count: Int, _ make: (Int) throws -> Object<Card>
  ) rethrows -> [Object<Card>] {
    let chain = try (0..<count).map(make)
    for (card, next) in zip(chain, chain.dropFirst()) { card.next = next }
    return chain
  }

  /// Ends the process with a failure if twice as many objects cost three times as many bytes.
  private static func expectLinear(_ prepare: (Int) throws -> () throws -> Void) throws {
    func bytes(_ count: Int) throws -> UInt64 {
      let save = try prepare(count)
      let before = allocation_bytes()
      try save()
      return allocation_bytes() - before
    }
    // The first save also allocates what is created only once.
    _ = try bytes(10)
    let (few, many) = (try bytes(400), try bytes(800))
    guard many < few * 3 else {
      print("\(few) bytes for 400 objects, \(many) for 800")
      exit(1)
    }
  }
}
#endif
