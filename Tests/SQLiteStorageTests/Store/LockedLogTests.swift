import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

/// A test that waits for ten seconds. The suite is not serialised, and the test waits on a thread
/// of its own, so that other tests run meanwhile.
@Suite("A log whose locks another process has") struct LockedLogTests {
  private let folder: Drawer
  private let entities: [any Entity.Type] = [Sample.self, Group.self]

  init() throws { folder = try Drawer() }

  @Test("Locks of the log that are not to be had are a timeout") func protocolFault() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    let other = try OtherProcess.probe("lockLog", folder.file().path)
    #expect(other.waits(for: "locked\n"))
    try await onThread(stackSize: 1 << 20) {
      // SQLite itself gives up after ten seconds.
      let error = #expect(throws: GraphError.self) {
        try store.makeReader().ids(Query(entity: 1))
      }
      guard case .timeout? = error?.reason else { throw Unexpected(error as Any) }
    }
    other.kill()
    #expect(try store.makeReader().ids(Query(entity: 1)) == [])
  }
}
