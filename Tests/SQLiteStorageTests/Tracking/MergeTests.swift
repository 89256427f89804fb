import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Merging what other processes have saved") struct MergeTests {
  private let folder: Drawer

  init() throws { folder = try Drawer() }

  enum Save: CaseIterable { case fine, conflict, resolved, notUnique }

  @Test("A save swallows no news, however it ends", arguments: Save.allCases)
  func afterSave(_ save: Save) async throws {
    let store = try await SQLiteStore.open(at: folder.file(), Library.entities)
    let context = store.makeContext()
    let mine = try context.insert(Card("mine"))
    let held = try context.insert(Card("held"))
    try context.insert(Deck("taken"))
    try context.save()
    try context.refresh()
    #expect(try folder.sqlite3("UPDATE Card SET question = 'theirs'").isEmpty)
    switch save {
    case .fine:
      mine.answer = "edited"
      try context.save()
    case .conflict:
      mine.question = "edited"
      #expect(throws: GraphError.self) { try context.save() }
      context.discard()
    case .resolved:
      mine.question = "edited"
      context.conflictPolicy = .mine
      try context.save()
    case .notUnique:
      try context.insert(Deck("taken"))
      #expect(throws: GraphError.self) { try context.save() }
      context.discard()
    }
    try context.merge()
    #expect(held.question == "theirs")
  }

  @Test("Nor when the other process has told in the log what it changed") func afterLoggedSave()
    async throws
  {
    let store = try await SQLiteStore.open(at: folder.file(), [Sample.self, Group.self])
    let context = store.makeContext()
    var group = Group()
    group.weight = 1
    let groups = (1...2).map { Object(group, id: Ref(key: $0)) }
    for group in groups { try context.insert(group) }
    try context.save()
    for id in ["1", "2"] {
      let other = try OtherProcess.probe("increment", folder.file().path, id, "5")
      #expect(other.end().contains("done"))
    }
    groups[0].weight = 100
    context.conflictPolicy = .mine
    try context.save()
    try context.merge()
    #expect(groups[1].weight == 6)
  }

  enum LastLook: CaseIterable { case read, refresh }

  @Test("In a file without a log they are found as well", arguments: LastLook.allCases)
  func withoutLog(_ look: LastLook) async throws {
    let first = try await SQLiteStore.open(at: folder.file(), Library.entities)
    let filling = first.makeContext()
    let id = try filling.insert(Card("base")).id
    try filling.save()
    first.close()
    let copy = folder.url.appending(path: "copy.store")
    try folder.sqlite3("VACUUM INTO '\(copy.path)'")
    let store = try await SQLiteStore.open(
      at: copy, Library.entities, options: StoreOptions(timeout: 0.5))
    let context = store.makeContext()
    let card = try context.object(with: id)
    switch look {
    case .read: context.read {}
    case .refresh: try context.refresh()
    }
    let other = try OtherProcess.probe("sql", copy.path, "UPDATE Card SET question = 'theirs'")
    #expect(other.end().isEmpty)
    try context.merge()
    #expect(card.question == "theirs")
  }
}
