import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Random programs with lists")
struct ListProgramTests {
  private typealias Failure = Counterexample<SeededProgram>

  private func check(
    _ stores: Stores, steps: Int,
    run: @escaping (SeededProgram, ObjectContext, ObjectContext) throws -> Failure?
  ) async throws {
    try await checkPrograms(
      of: [SplitMix64.seed(4_294_751_140)],
      making: { SeededProgram(seed: $0, count: rounds(steps)) },
      check: { program in
        let store = try await stores.notes().store
        return try run(program, store.makeContext(), store.makeContext())
      })
  }

  private func checkLists(_ stores: Stores, steps: Int, onlyInChild: Bool) async throws {
    try await check(stores, steps: steps) { program, root, other in
      var lists = try ListProgram(root: root, other: other, onlyInChild: onlyInChild)
      return try lists.run(program)
    }
  }

  @Test("Lists in a child, and their mirrors, equal a fresh fetch after each of many edits")
  func child() async throws { try await checkLists(.memory, steps: 10_000, onlyInChild: true) }

  @Test(
    "Lists in all contexts of two families equal fresh fetches",
    arguments: Stores.all + [.poor])
  func everywhere(_ stores: Stores) async throws {
    try await checkLists(stores, steps: 400, onlyInChild: false)
  }

  @Test("Windows are pieces of fresh fetches, wherever they move", arguments: Stores.all)
  func windows(_ stores: Stores) async throws {
    try await check(stores, steps: 400) { program, root, other in
      var windows = try WindowProgram(seed: program.seed, root: root, other: other)
      return try windows.run(program)
    }
  }

  @Test(
    "Lists that load elsewhere have a part of a fresh fetch, then all of it", arguments: Stores.all)
  func loading(_ stores: Stores) async throws {
    var compared = (complete: 0, incomplete: 0)
    let seeds = SplitMix64.seeds(rounds(32), from: 51_200)
    for seed in seeds {
      try await checkPrograms(
        of: [seed], making: { SeededProgram(seed: $0, count: 300) },
        check: { program in
          var lists = try LoadingProgram(on: PausedStore(try await stores.notes().store))
          defer {
            compared.complete += lists.compared.complete
            compared.incomplete += lists.compared.incomplete
          }
          return try lists.run(program)
        })
    }
    // Programs that load too early, or never, would prove little.
    #expect(min(compared.complete, compared.incomplete) > 100 * seeds.count)
  }
}
