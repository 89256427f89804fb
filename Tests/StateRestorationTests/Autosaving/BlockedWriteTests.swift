import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Synchronization
import Testing

@Suite("A folder that is slow, or that fails half way")
struct BlockedWriteTests {
  @Test("While a whole archive is being written, the tree goes on, and saves and restores")
  func tree() throws {
    let storage = try CountedFolder()
    let world = StoredWorld(storage)
    world.restoration.finishWriting()
    for number in 0..<100 { try world.screen("screen \(number)").change("first") }
    storage.reset()
    try storage.gate.withLock { _ in
      // The first save is due now. From here on, the writer is blocked. If the tree waited for the
      // writer, the lines below would never return.
      world.pass()
      for round in 0..<3 {
        for case let screen as Screen in world.app.children { screen.change("round \(round)") }
        world.pass()
      }
      try world.screen("new").change("added")
      let whole = world.restoration.archive(of: world.app)
      let changes = world.restoration.archive(of: world.app, asksAll: false)
      world.restoration.restore(whole, into: world.app)
      world.app.provide(Notebook("root"))
      world.pass()
      #expect(storage.writes == 0)
      #expect(changes.count >= whole.count)
    }
    world.restoration.finishWriting()
    // The first archive may have been taken before the last one came.
    #expect((1...2).contains(storage.writes))
    #expect(try storage.notes == world.notes)
    #expect(try storage.notes.count == 101 && storage.notes["screen 7"] == "round 2")
  }

  @Test("After a save that has failed, the next one stores the archive, even if it was stored")
  func failedReplace() throws {
    let storage = try CountedFolder()
    let world = StoredWorld(storage)
    for number in 0..<10 { try world.screen("screen \(number)").change("first") }
    func pass(_ note: String) throws {
      world.screen?.change(note)
      world.pass()
      world.restoration.finishWriting()
      #expect(try storage.notes == world.notes, "\(note)")
    }
    try pass("second")
    // The new file has its name already when this step fails.
    storage.failing = .syncFolder
    world.screen?.change("third")
    #expect(throws: StateError.self) { try world.restoration.save() }
    try pass("fourth")
    storage.failing = nil
    try pass("fifth")
    try world.restoration.save()
    #expect(try storage.notes == world.notes)
  }
}
