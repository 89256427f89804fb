import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Unique values")
struct UniqueTests {
  @Test("They are handed over and swapped in one save", arguments: Stores.all)
  func handedOver(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    let a = try context.insert(Deck("a"))
    let b = try context.insert(Deck("b"))
    try context.save()
    try context.delete(a)
    let again = try context.insert(Deck("a"))
    try context.save()
    again.name = "b"
    b.name = "a"
    try context.save()
    #expect(
      try opened.makeContext().fetch(Deck.self, sort: { $0.name }).map(\.id) == [b.id, again.id])
    let twin = try context.insert(Deck("a"))
    guard case .notUnique(let entity, let properties, let object)? = reason({ try context.save() })
    else {
      Issue.record("no error")
      return
    }
    #expect(entity == "Deck" && properties == ["name"])
    #expect(object == "\(b.id)" || object == nil || object == "\(twin.id)")
    twin.name = "c"
    try context.save()
  }

  @Test("Those of two properties go round in one save", arguments: Stores.all)
  func twoProperties(_ stores: Stores) async throws {
    let opened = try await stores.open([Badge.self])
    let context = opened.makeContext()
    let a = try context.insert(Badge("a", code: 1))
    let b = try context.insert(Badge("b", code: 2))
    let c = try context.insert(Badge("c", code: 3))
    try context.save()
    (a.name, b.name, c.name) = ("b", "c", "a")
    (a.code, b.code, c.code) = (3, 1, 2)
    try context.save()
    try context.delete(a)
    try context.insert(Badge("b", code: 1))
    b.code = 3
    c.name = "c"
    b.name = "a"
    try context.save()
    #expect(try opened.makeContext().values(Badge.self).map(\.name).sorted() == ["a", "b", "c"])
  }

  @Test("The first rule that is broken is named, and who has the values", arguments: Stores.all)
  func named(_ stores: Stores) async throws {
    let context = try await stores.open([Badge.self]).makeContext()
    let a = try context.insert(Badge("a", code: 1))
    let b = try context.insert(Badge("b", code: 2))
    try context.save()
    let both = try context.insert(Badge("a", code: 2))
    #expect(
      text { try context.save() }
        == "could not save \(both.id): another Badge has the same name as \(a.id)")
    try context.delete(both)
    (b.name, b.code) = ("c", 1)
    #expect(
      text { try context.save() }
        == "could not save \(b.id): another Badge has the same code as \(a.id)")
    context.discard()
    try context.insert(Badge("x", code: 7))
    let second = try context.insert(Badge("y", code: 7))
    #expect(text { try context.save() }?.hasPrefix("could not save \(second.id): ") == true)
    context.discard()
  }

  @Test(
    "Pairs: nil equals nobody, values move in one save, an error names both", arguments: Stores.all)
  func pairs(_ stores: Stores) async throws {
    let opened = try await stores.open([Seat.self])
    let context = opened.makeContext()
    let one = try context.insert(Seat("a", 1))
    let two = try context.insert(Seat("a", 2))
    for _ in 0..<2 { try context.insert(Seat("a", nil)) }
    try context.save()
    (one.number, two.number) = (2, 1)
    try context.save()
    let child = context.makeChild()
    try child.object(with: one.id).row = "b"
    let third = try child.insert(Seat("a", 2))
    try child.saveAll()
    #expect(try opened.makeContext().values(Seat.self).filter { $0.number == 2 }.count == 2)
    two.number = 2
    #expect(
      text { try context.save() }
        == "could not save \(two.id): another Seat has the same row, number as \(third.id)")
    two.number = nil
    try context.save()
    #expect(try opened.makeContext().find(two.id)?.value.number == nil)
  }

  private func text(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return "\(error)" }
    return nil
  }

  @Test("They are swapped while a conflict is resolved", arguments: Stores.all)
  func swappedInConflict(_ stores: Stores) async throws {
    let opened = try await stores.open([Badge.self])
    let context = opened.makeContext()
    let a = try context.insert(Badge("a", code: 1))
    let b = try context.insert(Badge("b", code: 2))
    try context.save()
    let other = opened.makeContext()
    try other.object(with: b.id).code = 9
    try other.save()
    (a.name, b.name) = ("b", "a")
    (a.code, b.code) = (2, 1)
    context.conflictPolicy = .mine
    try context.save()
    let found = try opened.makeContext().values(Badge.self)
    #expect(found.map(\.name) == ["b", "a"] && found.map(\.code) == [2, 1])
  }
}
