#if os(Linux)
import CLineageAllocations
import Foundation
import ObjectGraph
import SQLiteStorage
import LineageTestSupport
import Testing

/// Tests that count allocations in a process of their own, where no other test allocates.
@Suite("Allocations of a fetch", .disabled(if: isSanitized, "sanitizers bring their own malloc"))
struct AllocationTests {
  @Test("An object is one, beside its long texts; a value none")
  func fetch() async {
    await #expect(processExitsWith: .success) {
      let folder = try Drawer()
      let store = try await SQLiteStore.open(at: folder.file(), Library.entities)
      let filled = store.makeContext()
      for number in 0..<2_000 { try filled.insert(Card("\(number)", rightCount: number)) }
      try filled.save()
      func objects(_ count: Int) throws -> Int {
        let context = store.makeContext()
        return try Self.count { try context.fetch(Card.self, where: { $0.rightCount < count }) }
      }
      func values(_ count: Int) throws -> Int {
        let context = store.makeContext()
        return try Self.count { try context.values(Card.self, where: { $0.rightCount < count }) }
      }
      // The first fetches also allocate objects that are created only once.
      _ = (try objects(2_000), try values(2_000))
      let thousandObjects = try objects(2_000) - objects(1_000)
      let thousandValues = try values(2_000) - values(1_000)
      // The tolerance is for arrays that grow during a fetch.
      exit(1_000...1_010 ~= thousandObjects && -10...10 ~= thousandValues ? 0 : 1)
    }
  }

  private static func count<Found>(_ body: () throws -> Found) rethrows -> Int {
    let before = allocation_count()
    let found = try body()
    let after = allocation_count()
    return withExtendedLifetime(found) { Int(after - before) }
  }
}
#endif
