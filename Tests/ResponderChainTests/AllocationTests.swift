#if os(Linux)
  import Foundation
  import ResponderChain
  import TestSupport
  import Testing

  /// Counts nothing: takes all memory away, in a process of its own, so that the first allocation
  /// is its end.
  @Suite("Allocations")
  struct AllocationTests {
    static let isSanitized =
      dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    @Test("A hit allocates nothing", .disabled(if: isSanitized, "sanitizers allocate themselves"))
    func hit() async {
      await #expect(processExitsWith: .success) {
        let trees = try Strategy.allCases.map { try SmallTree($0) }
        for tree in trees {
          tree.application.provide(Session("ann"))
          tree.application.provide(Theme("dark"))
          tree.application.provide(Notebook("root"))
          tree.left.branch(Notebook.self)
          _ = AllocationTests.look(tree)
        }
        AllocationTests.exhaust()
        var found = 0
        for tree in trees { for _ in 0..<1_000 { found += AllocationTests.look(tree) } }
        _exit(found == 12_000 ? 0 : 1)
      }
    }

    @Test(
      "Without memory an allocation is the end: the test above can fail",
      .disabled(if: isSanitized, "sanitizers allocate themselves"))
    func control() async {
      await #expect(processExitsWith: .failure) {
        let tree = try SmallTree()
        AllocationTests.exhaust()
        tree.application.provide(Session("ann"))
        _exit(0)
      }
    }

    @inline(never)
    static func look(_ tree: SmallTree) -> Int {
      var found = 0
      if tree.leaf.context(Session.self) != nil { found += 1 }
      if tree.leaf.context(Notebook.self) != nil { found += 1 }
      if case .value = tree.leaf.resolve(Session.self) { found += 1 }
      if tree.uncle.resolve(Theme.self, from: .next).value != nil { found += 1 }
      return found
    }

    /// Takes every byte that malloc can still hand out.
    static func exhaust() {
      var limit = rlimit(rlim_cur: 1, rlim_max: 1)
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      var size = 1 << 20
      while size >= 16 {
        while malloc(size) != nil {}
        size = size > 1_024 ? size / 2 : size - 16
      }
      while malloc(1) != nil {}
    }
  }
#endif
