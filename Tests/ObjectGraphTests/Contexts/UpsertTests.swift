import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Insert or update") struct UpsertTests {
  private struct Stop: Error {}

  @Test("Finds what a fetch finds: rows, unsaved objects here and above", arguments: Stores.all)
  func finds(_ stores: Stores) async throws {
    let opened = try await stores.open([Seat.self])
    let root = opened.makeContext()
    let saved = try root.insert(Seat("a", 1))
    try root.save()
    let above = try root.insert(Seat("a", 2))
    let child = root.makeChild()
    let here = try child.insert(Seat("a", 3))
    let moved = try child.insert(Seat("b", 9))
    (moved.row, moved.number) = ("a", 4)
    let gone = try child.insert(Seat("a", 5))
    try child.delete(gone)
    let seats = (1...6).map { Seat("a", $0, price: 10 * $0) }
    let found = try child.upsert(seats, by: \.row, \.number) { $0.price = $1.price }
    let known: [Ref<Seat>] = [saved.id, above.id, here.id, moved.id]
    #expect(found.prefix(4).map(\.id) == known)
    #expect(found.map(\.price) == [10, 20, 30, 40, 50, 60])
    #expect(above.price == 0 && saved.price == 0)
    try child.saveAll()
    #expect(
      try opened.makeContext().values(Seat.self, sort: { $0.number })
        == seats.map { seat in
          var seat = seat
          seat.code = nil
          return seat
        })
  }

  @Test("One value: inserted, then kept or updated, with its id", arguments: Stores.all)
  func one(_ stores: Stores) async throws {
    let context = try await stores.open([Badge.self]).makeContext()
    let first = try context.upsert(Badge("a", code: 1), by: \.name) { $0.code = $1.code }
    try context.save()
    let again = try context.upsert(Badge("a", code: 2), by: \.name) { _, _ in }
    #expect(again === first && first.code == 1 && !context.hasUnsavedChanges)
    try context.upsert(Badge("a", code: 2), by: \.name) { $0 = $1 }
    #expect(first.code == 2 && first.changes.properties == ["code"])
    // Nil equals nobody, so these are three objects.
    for _ in 0..<2 { try context.upsert(Badge("n\(context.canUndo)"), by: \.code) { $0 = $1 } }
    #expect(try context.count(Badge.self) == 3)
    context.discard()
  }

  @Test(
    "Equal keys of one call meet in one object; a closure that throws changes nothing",
    arguments: Stores.all)
  func many(_ stores: Stores) async throws {
    let context = try await stores.open([Badge.self]).makeContext()
    context.recordsUndo = true
    let old = try context.insert(Badge("old", code: 0))
    try context.save()
    let names = ["x", "old", "x", "y", "old", "x"]
    func badges() -> [Badge] { names.enumerated().map { Badge($1, code: $0) } }
    #expect(throws: Stop.self) {
      try context.upsert(badges(), by: \.name) {
        if $1.code == 5 { throw Stop() }
        $0.code = $1.code
      }
    }
    #expect(!context.hasUnsavedChanges && old.code == 0 && !context.canUndo)
    let list = try LiveList(FetchRequest<Badge>(sort: { $0.name }), in: context)
    var heard = 0
    let token = list.observe { _, _ in heard += 1 }
    let found = try context.upsert(badges(), by: \.name) { $0.code = $1.code }
    #expect(Set(found.map(\.id)).count == 3 && found[0] === found[5] && found[1] === old)
    #expect(found.map(\.code) == [5, 4, 5, 3, 4, 5] && heard == 1 && list.count == 3)
    context.undo()
    #expect(!context.hasUnsavedChanges && !context.canUndo && old.code == 0 && list.count == 1)
    token.cancel()
    context.discard()
  }

  @Test("A closure may change the key itself, and the commit decides", arguments: Stores.all)
  func key(_ stores: Stores) async throws {
    let context = try await stores.open([Badge.self]).makeContext()
    let a = try context.insert(Badge("a", code: 1))
    try context.insert(Badge("b", code: 2))
    try context.save()
    try context.upsert([Badge("a"), Badge("a")], by: \.name) { old, _ in old.name += "b" }
    #expect(a.name == "abb")
    try context.save()
    try context.upsert(Badge("abb"), by: \.name) { old, _ in old.name = "b" }
    #expect(refusal { try context.save() } == "notUnique")
    context.discard()
  }

  @Test(
    "A key that another context takes first is refused, and the second time it is found",
    arguments: Stores.all)
  func race(_ stores: Stores) async throws {
    let opened = try await stores.open([Badge.self])
    let (mine, theirs) = (opened.makeContext(), opened.makeContext())
    let new = try mine.upsert(Badge("a", code: 1), by: \.name) { $0.code = $1.code }
    let other = try theirs.insert(Badge("a", code: 2))
    try theirs.save()
    #expect(refusal { try mine.save() } == "notUnique")
    #expect(!new.isDeleted)
    mine.discard()
    let found = try mine.upsert(Badge("a", code: 1), by: \.name) { $0.code = $1.code }
    #expect(found.id == other.id)
    try mine.save()
    try theirs.merge()
    #expect(other.code == 1)
  }

  @Test("A key that is no rule is refused") func refused()
    throws
  {
    let context = try MemoryStore([Seat.self]).makeContext()
    for attempt in [
      { try context.upsert(Seat("a", 1), by: \.row) { $0 = $1 } },
      { try context.upsert(Seat("a", 1), by: \.row, \.price) { $0 = $1 } },
      { try context.upsert(Seat("a", 1), by: \.row, \.number, \.code) { $0 = $1 } },
      { try context.upsert(Seat("a", 1), by: \.row, \.row) { $0 = $1 } },
    ] as [() throws -> Object<Seat>] {
      #expect(refusal { _ = try attempt() } == "request")
    }
    let other = try context.upsert(Seat("a", 1), by: \.number, \.row) { $0 = $1 }
    #expect(try context.upsert(Seat("a", 1), by: \.row, \.number) { $0 = $1 } === other)
    #expect(try context.upsert([Seat](), by: \.code) { $0 = $1 }.isEmpty)
    context.discard()
  }

  @Test("10,000 values take one query for each 500 keys", arguments: Stores.all)
  func cost(_ stores: Stores) async throws {
    let store = CountingStore(try await stores.open([Seat.self]).store)
    let context = store.makeContext()
    let seats = (0..<10_000).map { Seat("\($0 % 100)", $0) }
    try context.upsert(seats.filter { ($0.number ?? 0) % 2 == 0 }, by: \.row, \.number) { $0 = $1 }
    try context.save()
    _ = store.take()
    let found = try context.upsert(seats, by: \.row, \.number) { $0.price = $1.price + 1 }
    let counts = store.take()
    #expect(counts.calls.queries <= 20 && counts.calls.readRows <= 10_000)
    #expect(found.count == 10_000 && found.allSatisfy { $0.isDeleted == false })
    try context.save()
    #expect(try store.makeContext().count(Seat.self, where: { $0.price == 1 }) == 5_000)
  }

  @Test(
    "10,000 different pairs, saved and unsaved, are found without testing each with each",
    arguments: Stores.all)
  func pairs(_ stores: Stores) async throws {
    let store = CountingStore(try await stores.open([Seat.self]).store)
    let context = store.makeContext()
    let seats = (0..<4_000).map { Seat("row \($0)", $0 * 7) }
    let first = try context.upsert(seats, by: \.row, \.number) { $0 = $1 }
    #expect(try context.upsert(seats, by: \.row, \.number) { $0 = $1 }.map(\.id) == first.map(\.id))
    try context.save()
    _ = store.take()
    let again = try store.makeContext().upsert(seats, by: \.row, \.number) { $0 = $1 }
    #expect(again.map(\.id) == first.map(\.id))
    #expect(store.take().calls.readRows <= 4_000)
  }
}
