import Foundation
import ObjectGraph
import SQLiteStore
import TestSupport
import Testing

/// A fresh folder, gone with the test.
final class Folder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(
    path: "lineage-\(UUID().uuidString)", directoryHint: .isDirectory)

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var file: URL { url.appending(path: "test.store") }
}

@Suite("A store on disk") struct RoundTripTests {
  @Test("keeps what is saved, and says what became of its opening") func keepsRows() async throws {
    let folder = try Folder()
    let first = await SQLiteStore.opening(at: folder.file, [Sample.self, Group.self])
    guard case .created(let store) = first else {
      Issue.record("\(first)")
      return
    }
    let world = World(seed: 1)
    try store.commit(world.writes(in: store.model), from: nil)
    let ids = try store.makeReader().ids(Query(entity: 0))
    store.close()
    let second = await SQLiteStore.opening(at: folder.file, [Sample.self, Group.self])
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
