import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Random programs with lists")
struct ListProgramTests {
  private let seed = SplitMix64.seed(4_294_751_140)

  private func program(_ stores: Stores, onlyInChild: Bool) async throws -> ListProgram {
    let store = try await stores.notes().store
    return try ListProgram(
      seed: seed, root: store.makeContext(), other: store.makeContext(), onlyInChild: onlyInChild)
  }

  @Test("Lists in a child, and their mirrors, equal a fresh fetch after each of many edits")
  func child() async throws {
    var program = try await program(.memory, onlyInChild: true)
    if let complaint = try program.run(rounds(10_000)) { Issue.record("\(complaint)") }
  }

  @Test("Lists in all contexts of two families equal fresh fetches", arguments: Stores.all)
  func everywhere(_ stores: Stores) async throws {
    var program = try await program(stores, onlyInChild: false)
    if let complaint = try program.run(rounds(400)) { Issue.record("\(complaint)") }
  }

  @Test("Windows are pieces of fresh fetches, wherever they move", arguments: Stores.all)
  func windows(_ stores: Stores) async throws {
    let store = try await stores.notes().store
    var program = try WindowProgram(
      seed: seed, root: store.makeContext(), other: store.makeContext())
    if let complaint = try program.run(rounds(400)) { Issue.record("\(complaint)") }
  }
}
