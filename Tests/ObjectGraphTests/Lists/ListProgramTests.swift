import ObjectGraph
import TestSupport
import Testing

@Suite("Live lists equal fresh fetches, and so do mirrors of their changes")
struct ListProgramTests {
  private func program(onlyInChild: Bool) throws -> ListProgram {
    let store = try MemoryStore([Note.self, Topic.self])
    return try ListProgram(
      seed: .random(in: 0...UInt64(UInt32.max)), root: store.makeContext(),
      other: store.makeContext(), onlyInChild: onlyInChild)
  }

  @Test("through 10,000 random edits around a child context")
  func child() throws {
    var program = try program(onlyInChild: true)
    if let complaint = try program.run(10_000) { Issue.record("\(complaint)") }
  }

  @Test("in parents, children, siblings and other contexts at once", arguments: 0..<3)
  func everywhere(_: Int) throws {
    var program = try program(onlyInChild: false)
    if let complaint = try program.run(300) { Issue.record("\(complaint)") }
  }
}
