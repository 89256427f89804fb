import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Synchronization
import Testing

/// Attacks on saves of a chain of contexts: closures that do what they should not, contexts that
/// end, and many changed objects.
@Suite("Attacks on saveAll and edit")
struct ChainAttackTests {
  private struct Refused: Error {}

  /// A store with one card; a root, a middle context and a form.
  private final class Chain {
    let opened: OpenStore
    let root: ObjectContext
    let middle: ObjectContext
    let form: ObjectContext
    let card: Object<Card>

    init(_ stores: Stores) async throws {
      opened = try await stores.open()
      root = opened.makeContext()
      card = try root.insert(Card("old"))
      try root.save()
      middle = root.makeChild()
      form = middle.makeChild()
    }

    var invariants: Bool {
      root.checkInvariants() && middle.checkInvariants() && form.checkInvariants()
    }

    func stored() throws -> [String] {
      try opened.makeContext().values(Card.self).map(\.question).sorted()
    }
  }

  @Test("Many changed objects at each level", arguments: Stores.all, [31, 32, 33, 100])
  func many(_ stores: Stores, count: Int) async throws {
    let chain = try await Chain(stores)
    let deck = try chain.root.insert(Deck("deck"))
    var cards: [Object<Card>] = []
    for number in 0..<count { cards.append(try chain.root.insert(Card("c\(number)"))) }
    try chain.root.save()
    let levels = [chain.root, chain.middle, chain.form]
    for level in levels { level.recordsUndo = true }
    for (index, level) in levels.enumerated() {
      let own = try level.object(with: deck.id)
      for card in cards {
        let copy = try level.object(with: card.id)
        copy.rightCount = 10 * (index + 1)
        if index == 2 { copy.deck = own }
      }
      for number in 0..<count { try level.insert(Card("new \(index) \(number)")).deck = own }
    }
    try chain.form.insert(Deck("deck"))
    let counts = { try levels.map { try $0.object(with: deck.id).cards.count } }
    #expect(try counts() == [count, 2 * count, 4 * count])
    #expect(refusal { try chain.form.saveAll() } == "notUnique")
    #expect(try counts() == [count, 2 * count, 4 * count] && chain.invariants)
    #expect(cards.allSatisfy { $0.rightCount == 10 && $0.changes.properties == ["rightCount"] })
    chain.form.undo()
    try chain.form.saveAll()
    #expect(try counts() == [4 * count, 4 * count, 4 * count] && chain.invariants)
    #expect(levels.allSatisfy { !$0.hasUnsavedChanges && !$0.canUndo })
    #expect(cards.allSatisfy { $0.rightCount == 30 })
    try chain.form.delete(chain.form.object(with: deck.id))
    try chain.form.saveAll()
    #expect(try chain.stored() == ["old"])
    #expect(cards.allSatisfy { $0.isDeleted } && chain.invariants)
  }

  @Test("A policy's closure uses a sibling, the root and another family", arguments: [false, true])
  func closures(fails: Bool) async throws {
    let memory = try MemoryStore(Library.entities)
    let root = ObjectContext(store: memory)
    let card = try root.insert(Card("old"))
    let other = try root.insert(Card("other"))
    let doomed = try root.insert(Card("doomed"))
    try root.save()
    let form = root.makeChild()
    let sibling = root.makeChild()
    let stranger = ObjectContext(store: memory)
    let list = try ListMirror(LiveList(FetchRequest<Card>(sort: { $0.question }), in: root))
    let below = try ListMirror(LiveList(FetchRequest<Card>(sort: { $0.question }), in: sibling))
    let copy = try form.object(with: card.id)
    copy.question = "form's"
    card.question = "root's"
    var calls = 0
    form.conflictPolicy = .resolve { conflict in
      calls += 1
      #expect(conflict.object === copy)
      _ = try form.fetch(Card.self)
      try sibling.object(with: other.id).answer = "sibling's"
      try sibling.insert(Card("sibling's"))
      try root.insert(Card("root's new"))
      try root.delete(doomed)
      try stranger.insert(Card("stranger's"))
      try stranger.object(with: other.id).isHard = true
      try stranger.save()
      return .mine
    }
    if fails {
      // The stranger's save takes the first commit, so a validation refuses the second.
      other.question = "forbidden"
    }
    #expect(refusal { try form.saveAll() } == (fails ? "invalid" : nil))
    #expect(calls == 1)
    #expect(try list.complaint() == nil)
    #expect(try below.complaint() == nil)
    for context in [root, form, sibling, stranger] { #expect(context.checkInvariants()) }
    #expect(form.hasUnsavedChanges == fails && root.hasUnsavedChanges == fails)
    #expect(sibling.hasUnsavedChanges)
    #expect(doomed.isDeleted)
    if fails { other.question = "other" }
    form.conflictPolicy = .mine
    try form.saveAll()
    try sibling.saveAll()
    let stored = try memory.makeContext().values(Card.self)
    #expect(
      stored.map(\.question).sorted()
        == ["form's", "other", "root's new", "sibling's", "stranger's"])
    #expect(stored.contains { $0.answer == "sibling's" && $0.isHard })
    #expect(try list.complaint() == nil)
    #expect(try below.complaint() == nil)
  }

  @Test("A closure that throws changes nothing", arguments: Stores.all)
  func throwing(_ stores: Stores) async throws {
    let chain = try await Chain(stores)
    for level in [chain.root, chain.middle, chain.form] { level.recordsUndo = true }
    let copy = try chain.form.object(with: chain.card.id)
    let between = try chain.middle.object(with: chain.card.id)
    copy.question = "form's"
    between.question = "middle's"
    chain.card.answer = "root's"
    chain.form.conflictPolicy = .resolve { _ in throw Refused() }
    #expect(throws: Refused.self) { try chain.form.saveAll() }
    chain.form.conflictPolicy = .resolve { _ in .value(Deck("wrong")) }
    #expect(refusal { try chain.form.saveAll() } == "otherType")
    #expect(copy.question == "form's" && between.question == "middle's" && chain.invariants)
    #expect(chain.card.question == "old" && chain.card.changes.properties == ["answer"])
    #expect(chain.form.canUndo && chain.middle.canUndo && chain.root.canUndo)
    chain.middle.undo()
    #expect(between.question == "old" && copy.question == "form's")
    chain.form.conflictPolicy = .mine
    try chain.form.saveAll()
    #expect(try chain.stored() == ["form's"])
  }

  @Test("A middle context without changes passes the form's on", arguments: Stores.all)
  func emptyMiddle(_ stores: Stores) async throws {
    let chain = try await Chain(stores)
    let new = try chain.root.insert(Card("new"))
    try chain.form.delete(chain.form.object(with: new.id))
    try chain.form.object(with: chain.card.id).question = "form's"
    try chain.form.saveAll()
    #expect(new.isDeleted && chain.card.question == "form's" && chain.invariants)
    #expect(try chain.stored() == ["form's"] && !chain.root.hasUnsavedChanges)
    #expect(try chain.root.find(new.id) == nil && chain.form.find(new.id) == nil)
  }

  @Test("A deletion of what is new above is taken back with the attempt", arguments: Stores.all)
  func deletedNew(_ stores: Stores) async throws {
    let chain = try await Chain(stores)
    let new = try chain.root.insert(Card("new"))
    let copy = try chain.form.object(with: new.id)
    try chain.form.delete(copy)
    let draft = try chain.form.insert(Card("forbidden"))
    #expect(refusal { try chain.form.saveAll() } == "invalid")
    #expect(copy.isDeleted && !new.isDeleted && new.changes.kind == .inserted && chain.invariants)
    #expect(try chain.root.find(new.id) === new)
    chain.form.discard()
    #expect(!copy.isDeleted && draft.context == nil)
    #expect(try chain.form.find(new.id) === copy)
    draft.question = "allowed"
    try chain.form.insert(draft)
    try chain.form.delete(copy)
    try chain.form.saveAll()
    #expect(try chain.stored() == ["allowed", "old"] && new.isDeleted)
    #expect(refusal { try chain.root.insert(new) } == nil)
    try chain.root.save()
    #expect(try chain.stored() == ["allowed", "new", "old"])
  }

  @Test("Contexts that end before, in and after a save", arguments: Stores.all)
  func ending(_ stores: Stores) async throws {
    let chain = try await Chain(stores)
    let faults = Faults()
    chain.root.onError = faults.hear
    var grandchild: ObjectContext? = chain.form.makeChild()
    grandchild?.onError = faults.hear
    try grandchild?.object(with: chain.card.id).question = "grandchild's"
    try grandchild?.saveAll()
    grandchild = nil
    #expect(chain.card.question == "grandchild's" && faults.reasons.isEmpty)
    var sibling: ObjectContext? = chain.root.makeChild()
    sibling?.onError = faults.hear
    try sibling?.object(with: chain.card.id).question = "sibling's"
    let copy = try chain.form.object(with: chain.card.id)
    copy.question = "form's"
    chain.card.question = "root's"
    chain.form.conflictPolicy = .mine
    chain.middle.conflictPolicy = .resolve { _ in .mine }
    try chain.middle.object(with: chain.card.id).question = "middle's"
    chain.card.question = "root's again"
    chain.middle.conflictPolicy = .resolve { _ in
      sibling = nil
      return .mine
    }
    try chain.form.saveAll()
    #expect(try chain.stored() == ["form's"] && sibling == nil && faults.reasons == ["ended"])
    #expect(chain.invariants)
  }

  @Test("What a discarded edit had inserted can be inserted again", arguments: Stores.all)
  func reinsertion(_ stores: Stores) async throws {
    let chain = try await Chain(stores)
    var kept: Object<Card>?
    #expect(throws: Refused.self) {
      try chain.form.edit { child in
        kept = try child.insert(Card("again"))
        throw Refused()
      }
    }
    let draft = try #require(kept)
    #expect(draft.context == nil && !draft.isDeleted)
    try chain.root.edit { child in try child.insert(draft) }
    #expect(try chain.stored() == ["again", "old"] && chain.root.find(draft.id) != nil)
  }

  @Test("Lists are told once by an edit, and never by one that fails", arguments: Stores.all)
  func lists(_ stores: Stores) async throws {
    let chain = try await Chain(stores)
    let levels = [chain.root, chain.middle, chain.form]
    let lists = try levels.map {
      ListMirror(try LiveList(FetchRequest<Card>(sort: { $0.question }), in: $0))
    }
    for level in levels {
      let before = lists.map(\.batches)
      try level.edit { child in
        for number in 0..<40 { try child.insert(Card("c\(number)")) }
      }
      #expect(lists.map(\.batches) == before.map { $0 + 1 })
      #expect(throws: Refused.self) {
        try level.edit { child in
          for card in try child.fetch(Card.self) { try child.delete(card) }
          try level.edit { try $0.insert(Card("inner")) }
          throw Refused()
        }
      }
      #expect(refusal { try level.edit { _ = try $0.insert(Card("forbidden")) } } == "invalid")
      #expect(lists.map(\.batches) == before.map { $0 + 1 })
      for list in lists { #expect(try list.complaint() == nil) }
    }
  }

  @Test("Asynchronous edits that overlap", arguments: Stores.all)
  func overlapping(_ stores: Stores) async throws {
    let chain = try await Chain(stores)
    let root = chain.root
    let id = chain.card.id
    try await root.edit { child in
      try child.object(with: id).answer = "outer"
      await Task.yield()
      try await root.edit { inner in
        #expect(try inner.object(with: id).answer == "outer")
        try inner.object(with: id).question = "inner"
        await Task.yield()
      }
      #expect(try child.object(with: id).question == "inner")
      #expect(chain.card.question == "old")
      #expect(try chain.stored() == ["old"])
      chain.card.rightCount = 7
    }
    #expect(chain.card.question == "inner" && chain.card.answer == "outer")
    #expect(chain.card.rightCount == 7 && !root.hasUnsavedChanges)
    await #expect(throws: Refused.self) {
      try await root.edit { child in
        try child.object(with: id).answer = "refused"
        await Task.yield()
        throw Refused()
      }
    }
    #expect(chain.card.answer == "outer" && !root.hasUnsavedChanges && chain.invariants)
  }

  @Test("A closed store, and a family that drifts", arguments: Stores.all)
  func closing(_ stores: Stores) async throws {
    let chain = try await Chain(stores)
    let copy = try chain.form.object(with: chain.card.id)
    copy.question = "form's"
    chain.form.recordsUndo = true
    copy.answer = "x"
    guard let store = chain.opened.store as? SQLiteStore else { return }
    store.close()
    #expect(refusal { try chain.form.saveAll() } == "closed")
    #expect(copy.question == "form's" && chain.card.question == "old")
    #expect(chain.form.canUndo && chain.form.hasUnsavedChanges && !chain.root.hasUnsavedChanges)
    chain.form.undo()
    #expect(copy.answer.isEmpty)
  }

  /// A store whose next commits break, after or before the base has them.
  private final class BreakingStore: ForwardingStore {
    let base: any ObjectStore
    private let next = Mutex<Bool?>(nil)
    init(_ base: any ObjectStore) { self.base = base }
    func breakNext(isStored: Bool) { next.withLock { $0 = isStored } }
    func commit(
      _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
    ) throws {
      let isStored = next.withLock { next in
        defer { next = nil }
        return next
      }
      if isStored != false {
        try base.commit(writes, receipts, from: inbox, resolving: resolving)
      }
      if isStored != nil { throw GraphError("save", .unknownOutcome("the cable is cut")) }
    }
  }

  @Test("An unknown outcome of many kinds of changes", arguments: [true, false])
  func unknown(isStored: Bool) throws {
    let memory = try MemoryStore(Library.entities)
    let store = BreakingStore(memory)
    let root = ObjectContext(store: store)
    let deck = try root.insert(Deck("deck"))
    var cards: [Object<Card>] = []
    for number in 0..<5 {
      let card = try root.insert(Card("c\(number)"))
      card.deck = deck
      cards.append(card)
    }
    try root.save()
    let middle = root.makeChild()
    let form = middle.makeChild()
    try form.delete(form.object(with: cards[0].id))
    let new = try root.insert(Card("new"))
    try middle.object(with: new.id).answer = "middle's"
    try form.object(with: new.id).question = "form's"
    try form.object(with: cards[1].id).deck = nil
    try middle.delete(middle.object(with: cards[2].id))
    try form.object(with: cards[3].id).question = "form's 3"
    let own = try form.insert(Card("form's own"))
    store.breakNext(isStored: isStored)
    #expect(refusal { try form.saveAll() } == "unknownOutcome")
    #expect(new.question == "new" && !cards[0].isDeleted && cards[1].deck === deck)
    #expect(form.hasUnsavedChanges && middle.hasUnsavedChanges && root.hasUnsavedChanges)
    try root.merge()
    for context in [root, middle, form] {
      #expect(context.checkInvariants())
      #expect(context.hasUnsavedChanges != isStored)
    }
    if isStored {
      #expect(new.question == "form's" && new.answer == "middle's" && cards[0].isDeleted)
      #expect(try root.find(own.id)?.question == "form's own" && cards[2].isDeleted)
      #expect(cards[1].deck == nil && deck.cards.count == 2)
    }
    try form.saveAll()
    let stored = try memory.makeContext().values(Card.self).map(\.question).sorted()
    #expect(stored == ["c1", "c4", "form's", "form's 3", "form's own"])
    for context in [root, middle, form] {
      #expect(context.checkInvariants() && !context.hasUnsavedChanges)
    }
  }

  @Test("An attempt in an open group is taken back, and the group goes on", arguments: Stores.all)
  func groups(_ stores: Stores) async throws {
    let chain = try await Chain(stores)
    let levels = [chain.root, chain.middle, chain.form]
    for level in levels { level.recordsUndo = true }
    let copies = try levels.map { try $0.object(with: chain.card.id) }
    chain.root.group {
      chain.middle.group {
        chain.form.group {
          copies[0].rightCount = 1
          copies[1].answer = "middle's"
          copies[2].question = "forbidden"
          #expect(refusal { try chain.form.saveAll() } == "invalid")
          copies[0].isHard = true
          copies[1].rightCount = 2
          copies[2].answer = "form's"
        }
      }
    }
    #expect(chain.invariants)
    for level in levels.reversed() { level.undo() }
    #expect(copies.allSatisfy { $0.value.question == "old" && $0.rightCount == 0 })
    #expect(copies.allSatisfy { !$0.isHard && $0.answer.isEmpty && $0.changes.isEmpty })
    for level in levels { level.redo() }
    #expect(chain.card.isHard && copies[1].rightCount == 2 && copies[2].answer == "form's")
    copies[2].question = "allowed"
    try chain.form.saveAll()
    #expect(try chain.stored() == ["allowed"] && copies[0].rightCount == 2)
    #expect(copies.allSatisfy { $0.changes.isEmpty && $0.answer == "form's" && $0.isHard })
  }
}
