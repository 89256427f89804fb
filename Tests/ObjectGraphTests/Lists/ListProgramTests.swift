import ObjectGraph
import TestSupport
import Testing

@Suite("Live lists equal fresh fetches")
struct ListProgramTests {
  @Test("Random edits in parents, children, siblings and other contexts", arguments: 0..<4)
  func programs(_: Int) throws {
    let store = try MemoryStore([Note.self, Topic.self])
    var program = try ListProgram(
      seed: .random(in: 0...UInt64(UInt32.max)), root: store.makeContext(),
      other: store.makeContext())
    if let complaint = try program.run(150) { Issue.record("\(complaint)") }
  }
}
