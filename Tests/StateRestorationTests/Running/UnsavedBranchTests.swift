import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Restoring into a running application keeps unsaved changes of branches")
struct UnsavedBranchTests {
  /// An application with a screen "outer", and the screens "inner" and "other" below it.
  private struct Scene {
    let world = World()
    let root = Notebook("root")
    let outer: Screen
    let inner: Screen
    let other: Screen

    /// Makes the tree. The inner screen has a branch with the policy. The outer screen has a branch
    /// only if `outerBranches` is true.
    init(_ policy: BranchPolicy, outerBranches: Bool) throws {
      world.app.provide(root)
      world.app.launch(restoring: world.restoration, from: nil)
      outer = try world.screen("outer")
      inner = try world.screen("inner", below: outer)
      other = try world.screen("other", below: outer)
      if outerBranches { outer.branch(Notebook.self) }
      inner.branch(Notebook.self, policy)
    }

    var innerBook: Notebook? { inner.context(Notebook.self) }
    var outerBook: Notebook? { outer.context(Notebook.self) }
    var notes: [String] { world.restoration.report.notes }
    func restore(_ archive: StateArchive) {
      world.restoration.restore(archive, into: world.app)
    }
  }

  /// Returns an archive in which the screens "outer" and "inner" have branches.
  private static func archive(_ policy: BranchPolicy) throws -> StateArchive {
    let scene = try Scene(policy, outerBranches: true)
    scene.inner.note = "archived"
    return scene.world.archive
  }

  @Test("A branch of the same context keeps its child, clean or not", arguments: [false, true])
  func same(hasChanges: Bool) throws {
    for policy in [BranchPolicy.follow, .keep] {
      let scene = try Scene(policy, outerBranches: true)
      let book = try #require(scene.innerBook)
      book.hasUnsavedChanges = hasChanges
      scene.restore(try Self.archive(policy))
      #expect(scene.innerBook === book)
      #expect(book.parent === scene.outerBook)
      #expect(book.hasUnsavedChanges == hasChanges)
      #expect(book.log == [])
      #expect(scene.inner.note == "archived")
      #expect(scene.notes == [])
      #expect(scene.world.restoration.report.problems == [])
    }
  }

  @Test("A clean child of another context is made anew", arguments: [BranchPolicy.follow, .keep])
  func clean(policy: BranchPolicy) throws {
    let scene = try Scene(policy, outerBranches: false)
    let book = try #require(scene.innerBook)
    #expect(book.parent === scene.root)
    scene.restore(try Self.archive(policy))
    #expect(scene.innerBook !== book)
    #expect(scene.innerBook?.parent === scene.outerBook)
    #expect(scene.outerBook?.parent === scene.root)
    #expect(book.log == [])
    #expect(scene.notes == [])
  }

  @Test(
    "A child of another context with unsaved changes is kept, and the report says so",
    arguments: [BranchPolicy.follow, .keep])
  func unsaved(policy: BranchPolicy) throws {
    let scene = try Scene(policy, outerBranches: false)
    let book = try #require(scene.innerBook)
    book.hasUnsavedChanges = true
    var heard: [String] = []
    let token = scene.inner.observe(Notebook.self) { _, state in
      heard.append(state.value === book ? "same" : "other")
    }
    scene.restore(try Self.archive(policy))
    #expect(scene.innerBook === book)
    #expect(book.parent === scene.root)
    #expect(book.hasUnsavedChanges)
    #expect(book.log == [])
    #expect(heard == ["same"])
    #expect(scene.other.context(Notebook.self) === scene.outerBook)
    #expect(scene.inner.note == "archived")
    #expect(scene.notes.count == 1)
    #expect(scene.notes.first?.hasPrefix("outer › inner: the branch notes keeps") == true)
    #expect(scene.notes.first?.contains("unsaved changes") == true)
    #expect(scene.world.restoration.report.problems == [])

    // After the child was saved, the next restoration replaces it by a child of the outer context.
    try book.save()
    scene.restore(try Self.archive(policy))
    #expect(scene.innerBook?.parent === scene.outerBook)
    #expect(scene.notes == [])
    token.cancel()
  }

  @Test("A branch that the archive does not have stays, with its changes")
  func withoutArchivedSlot() throws {
    let archive: StateArchive
    do {
      let world = World()
      world.app.launch(restoring: world.restoration, from: nil)
      let outer = try world.screen("outer")
      try world.screen("inner", below: outer).note = "archived"
      archive = world.archive
    }
    let scene = try Scene(.follow, outerBranches: true)
    let book = try #require(scene.innerBook)
    book.hasUnsavedChanges = true
    scene.restore(archive)
    #expect(scene.innerBook === book)
    #expect(scene.inner.note == "archived")
    #expect(scene.other.note == nil)
    #expect(scene.notes == [])
  }
}
