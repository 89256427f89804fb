import LineageTestSupport
import ObjectGraph
import Testing

/// Tests that `read` shows one moment, and that a save or merge inside it begins a later moment.
@Suite("Saving and merging within read")
struct ReadingTests {
  @Test("What a context saves is seen by its reads after that", arguments: Stores.all)
  func save(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    for number in 0..<4 { try context.insert(Card("c\(number)", rightCount: number)) }
    try context.save()
    try context.read {
      let all = try context.fetch(Card.self)
      try context.delete(all[0])
      all[1].rightCount = 100
      try context.insert(Card("new"))
      try context.save()
      #expect(try context.count(Card.self) == 4)
      #expect(try context.fetch(Card.self).map(\.question) == ["c1", "c2", "c3", "new"])
      #expect(try context.fetch(Card.self, where: { $0.rightCount > 50 }).count == 1)
      #expect(try context.fetch(Card.self, limit: 2).count == 2)
    }
  }

  @Test("What is deleted and saved there leaves no ghost", arguments: Stores.all)
  func ghost(_ stores: Stores) async throws {
    let context = try await stores.open().makeContext()
    let id = try context.insert(Card("a")).id
    try context.save()
    try context.read {
      do {
        let cards = try context.fetch(Card.self)
        try context.delete(cards[0])
        try context.save()
      }
      #expect(try context.find(id) == nil)
      #expect(try context.fetch(Card.self).isEmpty)
    }
  }

  @Test("A child sees what it has saved through its root", arguments: Stores.all)
  func child(_ stores: Stores) async throws {
    let root = try await stores.open().makeContext()
    try root.insert(Card("a"))
    try root.save()
    let child = root.makeChild()
    try child.read {
      #expect(try child.count(Card.self) == 1)
      try child.insert(Card("b"))
      try child.saveAll()
      #expect(try child.count(Card.self) == 2)
      #expect(try child.values(Card.self).count == 2)
    }
  }

  @Test("What a child saves there arrives in the store and in its root", arguments: Stores.all)
  func childEdit(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let root = opened.makeContext()
    let card = try root.insert(Card("base"))
    try root.save()
    let child = root.makeChild()
    let mine = try child.object(with: card.id)
    mine.question = "mine"
    try child.read { try child.saveAll() }
    #expect(try opened.makeContext().object(with: card.id).question == "mine")
    #expect(try root.fetch(Card.self, where: { $0.question == "mine" }).count == 1)
  }

  @Test("A merge there forgets nothing that it cannot see yet", arguments: Stores.all)
  func merge(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let mine = try context.insert(Card("base"))
    try context.save()
    try context.read {
      _ = try context.count(Card.self)
      let other = opened.makeContext()
      try other.object(with: mine.id).question = "theirs"
      try other.save()
      try context.merge()
    }
    try context.merge()
    #expect(mine.question == "theirs")
    _ = try context.fetch(Card.self)
    #expect(mine.question == "theirs")
  }

  @Test(
    "A save ends the moment, also if others have changed the saved object", arguments: Stores.all)
  func afterSaves(_ stores: Stores) async throws {
    for way in 0..<3 {
      let both = try await TwoRoots(stores)
      both.card.rightCount = way + 10
      try both.mine.save()
      switch way {
      case 0:
        both.other.answer = "x"
        try both.theirs.save()
      case 1: try both.theirs.edit { try $0.object(with: both.card.id).answer = "x" }
      default:
        try both.theirs.delete(both.other)
        both.theirs.conflictPolicy = .mine
        try both.theirs.save()
      }
      let later = try both.mine.insert(Card("later"))
      try both.mine.save()
      #expect(try both.theirs.find(later.id) != nil)
    }
  }
}
