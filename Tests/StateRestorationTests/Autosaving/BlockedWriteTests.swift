import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Synchronization
import Testing

@Suite("A storage that is slow, or that fails half way")
struct BlockedWriteTests {
  /// A storage whose `replace` can be blocked by a test, or can store the bytes and then throw.
  private final class SlowStorage: StateStorage {
    struct Failure: Error {}

    struct Content {
      var bytes: [UInt8] = []
      var calls: [String] = []
      var isBlocked = false
      var fails = false
    }

    let content = Mutex(Content())
    let reached = DispatchSemaphore(value: 0)
    let released = DispatchSemaphore(value: 0)

    func load(_ limits: RestorationLimits) -> StoredState { StoredState() }

    func replace(_ bytes: [UInt8], isDurable: Bool) throws {
      if content.withLock({ $0.isBlocked }) {
        reached.signal()
        released.wait()
      }
      try content.withLock {
        $0.calls.append("replace")
        $0.bytes = bytes
        if $0.fails { throw Failure() }
      }
    }

    func keepAtLaunch(_ archive: StateArchive, records: Int) throws {}
    func erase(_ bytes: [UInt8]?) throws {}
    func close() {}
    func store(_ report: StoredReport) throws {}

    var calls: [String] { content.withLock { $0.calls } }

    var notes: [String: String] {
      StoredWorld(in: MemoryStorage(content.withLock { $0.bytes })).notes
    }
  }

  @Test("While a whole archive is being written, the tree goes on, and saves and restores")
  func tree() throws {
    let storage = SlowStorage()
    storage.content.withLock { $0.isBlocked = true }
    let world = StoredWorld(in: storage)
    for number in 0..<100 { try world.screen("screen \(number)").change("first") }
    // The first save is due now.
    world.pass()
    storage.reached.wait()
    storage.content.withLock { $0.isBlocked = false }
    // From here on, the writer is blocked. If the tree waited for the writer, the lines below would
    // never return.
    for round in 0..<3 {
      for case let screen as Screen in world.app.children { screen.change("round \(round)") }
      world.pass()
    }
    try world.screen("new").change("added")
    let whole = world.restoration.archive(of: world.app)
    let changes = world.restoration.archiveChanges(of: world.app)
    world.restoration.restore(whole, into: world.app)
    world.app.provide(Notebook("root"))
    world.pass()
    #expect(storage.calls == [])
    #expect(changes.count >= whole.count)
    storage.released.signal()
    world.restoration.finishWriting()
    #expect(storage.calls == ["replace", "replace"])
    #expect(storage.notes == world.notes)
    #expect(storage.notes.count == 101 && storage.notes["screen 7"] == "round 2")
  }

  @Test("After a save that has failed, the next one stores the archive, even if it was stored")
  func failedReplace() throws {
    let storage = SlowStorage()
    let world = StoredWorld(in: storage)
    for number in 0..<10 { try world.screen("screen \(number)").change("first") }
    world.pass()
    world.restoration.finishWriting()
    world.screen?.change("second")
    world.pass()
    world.restoration.finishWriting()
    #expect(storage.calls == ["replace", "replace"])
    storage.content.withLock { $0.fails = true }
    world.screen?.change("third")
    #expect(throws: StateError.self) { try world.restoration.save() }
    world.screen?.change("fourth")
    world.pass()
    world.restoration.finishWriting()
    storage.content.withLock { $0.fails = false }
    world.screen?.change("fifth")
    world.pass()
    world.restoration.finishWriting()
    #expect(storage.calls.dropFirst(2).count >= 3)
    #expect(storage.notes == world.notes)
  }
}
