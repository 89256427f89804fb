import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("A store on disk") struct RoundTripTests {
  @Test("obeys the laws of stores", arguments: StoreLaw.all)
  func obeys(_ law: StoreLaw) async throws {
    let folder = try Drawer()
    let store = try await SQLiteStore.open(at: folder.file(), StoreLaw.entities)
    try law.check(store)
    #expect(try await store.check() == [])
  }

  @Test("obeys them with a dialect that can say nothing but equality", arguments: StoreLaw.all)
  func obeysPoorly(_ law: StoreLaw) async throws {
    let folder = try Drawer()
    let store = try await SQLiteStore.open(at: folder.file(), StoreLaw.entities)
    try law.check(PoorStore(store))
    #expect(try await store.check() == [])
  }

  @Test("keeps what is saved, and says what became of its opening") func keepsRows() async throws {
    let folder = try Drawer()
    let first = await SQLiteStore.opening(at: folder.file(), [Sample.self, Group.self])
    guard case .created(let store) = first else {
      Issue.record("\(first)")
      return
    }
    let world = World(seed: 1)
    try store.commit(world.writes(in: store.model), from: nil)
    let ids = try store.makeReader().ids(Query(entity: 0))
    store.close()
    let second = await SQLiteStore.opening(at: folder.file(), [Sample.self, Group.self])
    guard case .ready(let again) = second else {
      Issue.record("\(second)")
      return
    }
    #expect(again.id == store.id)
    #expect(try again.makeReader().ids(Query(entity: 0)) == ids)
    #expect(!ids.isEmpty)
    again.close()
  }
}
