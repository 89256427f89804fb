import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

@Suite("A commit says which kept changes it contains")
struct SaveReceiptTests {
  /// Returns the number of saves that the store has of a kept context; nil if it has none.
  private func committed(_ context: ObjectContext) throws -> Int64? {
    try context.receipt(#require(context.keeping?.id))
  }

  private func count(_ context: ObjectContext) -> Int64? { context.keeping?.count }

  @Test(
    "A save one level up hands its receipt on; the next commit writes it", arguments: Stores.all)
  func handed(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    try restart.card(in: restart.child).rightCount = 5
    let before = try restart.archive()
    try restart.child.save()
    #expect(try committed(restart.child) == nil && count(restart.child) == 1)
    let between = try restart.archive()
    try restart.root.save()
    #expect(try committed(restart.child) == 1)
    let after = try restart.archive()
    for (archive, isSaved) in [
      (before, [true, true]), (between, [true, false]), (after, [false, false]),
    ] {
      let outcomes = try await restart.restart(from: archive)
      for (outcome, isSaved) in zip(outcomes, isSaved) {
        guard case .saved = outcome else { #expect(!isSaved); continue }
        #expect(isSaved)
      }
      #expect(restart.contexts.allSatisfy { !$0.hasUnsavedChanges })
      #expect(try restart.card(in: restart.child).rightCount == 5)
    }
  }

  @Test("Before the commit, the archive of a child gets its changes back", arguments: Stores.all)
  func notCommitted(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    try restart.card(in: restart.child).rightCount = 5
    let before = try restart.archive()
    try restart.child.save()
    let between = try restart.archive()
    try await restart.restart(from: before)
    #expect(restart.contexts.map(\.hasUnsavedChanges) == [false, true])
    try await restart.restart(from: between)
    #expect(restart.contexts.map(\.hasUnsavedChanges) == [true, false])
    #expect(try restart.card(in: restart.child).rightCount == 5)
    try restart.root.save()
    try await restart.restart(from: between)
    #expect(restart.contexts.map(\.hasUnsavedChanges) == [false, false])
  }

  @Test("Two processes that both make 1 into 2 are told apart", arguments: Stores.all)
  func equalValues(_ stores: Stores) async throws {
    for isMine in [true, false] {
      let restart = try await Restart(stores)
      try restart.card(in: restart.child).rightCount += 1
      let archive = try restart.archive()
      if isMine { try restart.child.saveAll() } else { try restart.commit { $1.rightCount += 1 } }
      try await restart.restart(from: archive)
      #expect(restart.child.hasUnsavedChanges != isMine)
      #expect((properties { try restart.child.save() } == nil) == isMine)
      restart.child.discard()
    }
  }

  @Test(
    "The parent's discard forgets it, and a save with nothing to save writes none",
    arguments: Stores.all)
  func forgotten(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let card = try restart.card(in: restart.child)
    card.rightCount = 5
    let archive = try restart.archive()
    try restart.child.save()
    restart.root.discard()
    try restart.root.save()
    try restart.child.save()
    #expect(try committed(restart.child) == nil && count(restart.child) == 1)
    try await restart.restart(from: archive)
    #expect(try restart.card(in: restart.child).rightCount == 5)
    try restart.card(in: restart.child).rightCount = 6
    try restart.child.saveAll()
    #expect(try committed(restart.child) == 1 && count(restart.child) == 1)
  }

  @Test("A save that throws writes, hands on and counts none", arguments: Stores.all)
  func refused(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    try restart.card(in: restart.child).rightCount = 5
    try restart.commit { $1.rightCount = 3 }
    #expect(refusal { try restart.child.saveAll() } == "conflict")
    try restart.card(in: restart.root).question = "forbidden"
    restart.contexts.forEach { $0.conflictPolicy = .mine }
    #expect(refusal { try restart.child.saveAll() } == "invalid")
    #expect(refusal { try restart.root.save() } == "invalid")
    for context in restart.contexts {
      #expect(try committed(context) == nil && count(context) == 0)
    }
    try restart.card(in: restart.root).question = "b"
    try restart.child.saveAll()
    for context in restart.contexts {
      #expect(try committed(context) == 1 && count(context) == 1)
    }
  }

  @Test(
    "A save of all counts as saves one after the other do", arguments: [true, false], Stores.all)
  func chain(_ isAll: Bool, _ stores: Stores) async throws {
    let restart = try await Restart(stores, depth: 4)
    let contexts = restart.contexts
    func save() throws {
      if isAll { return try restart.child.saveAll() }
      for context in contexts.reversed() { try context.save() }
    }
    try restart.card(in: contexts[2]).rightCount = 5
    try save()
    // The lowest context had nothing to save. Those above have saved what came from below.
    #expect(try contexts.map(committed) == [1, 1, 1, nil])
    #expect(contexts.map(count) == [1, 1, 1, 0])
    try restart.card(in: contexts[3]).rightCount = 6
    try restart.card(in: contexts[0]).question = "b"
    try save()
    #expect(try contexts.map(committed) == [2, 2, 2, 1])
    try restart.card(in: contexts[0]).question = "c"
    try save()
    #expect(try contexts.map(committed) == [3, 2, 2, 1])
    try save()
    #expect(contexts.map(count) == [3, 2, 2, 1])
  }

  @Test(
    "A context that is not kept hands on the receipts of those below", arguments: [true, false],
    Stores.all)
  func unkeptBetween(_ isAll: Bool, _ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    let middle = root.makeChild()
    let child = middle.makeChild()
    child.keepEdits {}
    try child.insert(Card("a"))
    if isAll {
      try child.saveAll()
    } else {
      try child.save()
      try middle.save()
      #expect(try committed(child) == nil)
      try root.save()
    }
    #expect(try committed(child) == 1)
    #expect(root.keeping == nil && middle.keeping == nil)
  }

  @Test("The receipt of a child that was released is written", arguments: Stores.all)
  func released(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    var child: ObjectContext? = root.makeChild()
    child?.keepEdits {}
    try child?.insert(Card("a"))
    let id = try #require(child?.keeping?.id)
    try child?.save()
    child = nil
    try root.save()
    #expect(try root.receipt(id) == 1)
  }

  @Test("A context that takes over an id still writes receipts for its own", arguments: Stores.all)
  func twoIDs(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    try restart.card(in: restart.child).rightCount = 5
    let archive = try restart.archive()
    var own: UUID?
    try await restart.restart(from: archive) {
      try restart.child.insert(Deck("d"))
      own = restart.child.keeping?.id
    }
    let (id, count) = try #require(restart.child.keeping)
    #expect(id == archive[1].id && count == 0 && own != id)
    try restart.child.saveAll()
    #expect(try committed(restart.child) == 1)
    #expect(try restart.root.receipt(#require(own)) == 1)
  }

  @Test("A save in the closure of a policy is counted, too", arguments: Stores.all)
  func inPolicy(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let (root, child) = (restart.root, restart.child)
    try restart.card(in: root).rightCount = 5
    try child.insert(Deck("d"))
    let archive = try restart.archive()
    try restart.commit { $1.rightCount = 3 }
    root.conflictPolicy = .resolve { [weak child] _ in
      do { try child?.save() } catch { Issue.record("\(error)") }
      return .mine
    }
    try root.save()
    #expect(try restart.stored { try $0.count(Deck.self) } == 1)
    #expect(try committed(root) == 1 && committed(child) == 1)
    #expect(!root.hasUnsavedChanges && !child.hasUnsavedChanges)
    for (context, kept) in zip([root, child], archive) {
      guard case .saved = try context.replay(kept.edits, of: kept.id, count: kept.count) else {
        Issue.record("it was replayed")
        return
      }
    }
  }

  @Test("A save by an observer of a save has a receipt of its own", arguments: Stores.all)
  func inObserver(_ stores: Stores) async throws {
    let restart = try await Restart(stores)
    let (root, child) = (restart.root, restart.child)
    let list = try LiveList(FetchRequest<Card>(sort: { $0.question }), in: root)
    let token = list.observe { _, _ in
      do { try root.save() } catch { Issue.record("\(error)") }
    }
    try child.insert(Card("b"))
    try child.save()
    #expect(try committed(child) == 1 && committed(root) == 1)
    #expect(count(child) == 1 && count(root) == 1)
    withExtendedLifetime(token) {}
  }

  @Test(
    "A receipt that appears after an unknown outcome drops no later edit", arguments: [true, false])
  func unknownOutcome(_ isStored: Bool) throws {
    let store = FarStore(try MemoryStore(Library.entities))
    let root = ObjectContext(store: store)
    let child = root.makeChild()
    root.keepEdits {}
    child.keepEdits {}
    let card = try child.insert(Card("a"))
    let before = try Restart.Kept(child)
    store.breakNext(isStored ? .after : .before)
    #expect(refusal { try child.saveAll() } == "unknownOutcome")
    #expect(try committed(child) == (isStored ? 1 : nil))
    card.question = "later"
    let after = try Restart.Kept(child)
    let later = ObjectContext(store: store)
    (root.conflictPolicy, child.conflictPolicy, later.onError) = (.mine, .mine, { _ in })
    for (kept, isSaved) in [(before, isStored), (after, false)] {
      guard case .saved = try later.replay(kept.edits, of: kept.id, count: kept.count) else {
        #expect(!isSaved)
        later.discard()
        continue
      }
      #expect(isSaved)
    }
    try child.saveAll()
    #expect(try committed(child) == 2 && count(child) == 2)
    #expect(try committed(root) == 2)
  }

  @Test("Without a kept context, a file gets no table of receipts")
  func none() async throws {
    let opened = try await Stores.sqlite.open()
    let child = opened.makeContext().makeChild()
    try child.insert(Card("a"))
    try child.saveAll()
    let path = try #require(opened.url).path
    for file in [path, path + "-wal"] {
      let bytes = try Data(contentsOf: URL(filePath: file))
      #expect(!bytes.isEmpty && bytes.range(of: Data("lineage_receipts".utf8)) == nil)
    }
  }
}

extension ObjectContext {
  /// Returns the count of the last receipt with an id; nil if the store has none.
  fileprivate func receipt(_ id: UUID) throws -> Int64? { try store?.receipts(of: [id])[id] }
}
