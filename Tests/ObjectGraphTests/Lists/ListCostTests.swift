import LineageTestSupport
import ObjectGraph
import Testing

@Suite("What following costs a list")
struct ListCostTests {
  private func context() throws -> ObjectContext {
    try MemoryStore([Note.self, Topic.self]).makeContext()
  }

  /// Returns the number of rows and sections that a list visits to follow inserts, while no loop
  /// reads its updates.
  private func visits(_ inserts: Int, above count: Int) throws -> Int {
    let context = try context()
    for number in 0..<count { try context.insert(Note("", weight: 2 * number)) }
    let list = try LiveList(FetchRequest<Note>(sort: { $0.weight }), in: context)
    let updates = list.updates.makeAsyncIterator()
    let before = list.visitCount
    for number in 0..<inserts { try context.insert(Note("", weight: 2 * number + 1)) }
    let changes = try #require(updates.changes())
    #expect(changes.insertions.count == inserts && changes.moves.isEmpty)
    let visits = list.visitCount - before
    context.discard()
    return visits
  }

  @Test("Any number of edits that a loop has not asked for costs a few visits each")
  func unread() throws {
    for (inserts, count) in [(100, 0), (1000, 0), (1000, 500)] {
      #expect(try visits(inserts, above: count) <= 8 * (inserts + count) + 200)
    }
  }

  /// Returns the largest number of rows and sections that a list visits to follow a single edit. At
  /// first, each note has a section of its own.
  private func visits(sections count: Int) throws -> Int {
    let context = try context()
    let notes = try (0..<count).map { number in
      try context.insert(Note("", weight: number, mood: "\(number)"))
    }
    let list = try LiveList(
      FetchRequest<Note>(sort: { $0.weight }), in: context, sections: { $0.mood })
    let mirror = ListMirror(list)
    let updates = list.updates.makeAsyncIterator()
    var most = 0
    func edit(_ body: () throws -> Void) throws {
      let before = list.visitCount
      try body()
      #expect(updates.changes() != nil)
      most = max(most, list.visitCount - before)
    }
    for number in [0, 1, count / 2, count - 1] {
      try edit { notes[number].text = "other" }
      try edit { notes[number].mood = notes[count / 3].mood }
      try edit { notes[number].mood = "new \(number)" }
      try edit { try context.delete(notes[number]) }
      try edit { try context.insert(Note("", mood: "again \(number)")) }
    }
    #expect(try mirror.complaint() == nil)
    context.discard()
    return most
  }

  @Test("An edit looks at few of the sections, however many there are")
  func sections() throws {
    let (few, many) = (try visits(sections: 32), try visits(sections: 1024))
    #expect(many <= 3 * few && many <= 300, "\(few), \(many)")
  }

  @Test("Changes that gathered for long lead to the rows, however often a loop asks")
  func lateLoops() throws {
    for seed in SplitMix64.seeds(12) {
      var random = SplitMix64(seed: seed)
      let context = try context()
      let list = try LiveList(
        FetchRequest<Note>(where: { $0.weight < 8 }, sort: { $0.weight }), in: context,
        sections: { $0.mood })
      let updates = list.updates.makeAsyncIterator()
      var rows: [[String]] = []
      for step in 0..<24 {
        for _ in 0..<random.below(step % 3 == 0 ? 120 : 6) { try edit(context, &random) }
        updates.changes()?.apply(to: &rows) { list[$0].description }
        let texts = list.sections.map { list[$0.rows].map(\.description) }
        try #require(rows == texts, "LINEAGE_SEED=\(seed), step \(step)")
        try #require(list.checkInvariants())
      }
      context.discard()
    }
  }

  private func edit(_ context: ObjectContext, _ random: inout SplitMix64) throws {
    let notes = try context.fetch(Note.self)
    let mood = random.pick([nil, "a", "b", "c", "d", "e"])
    guard notes.count > 2, random.chance(notes.count > 60 ? 90 : 60) else {
      try context.insert(Note("\(notes.count)", weight: random.below(10), mood: mood))
      return
    }
    let note = random.pick(notes)
    switch random.below(4) {
    case 0: note.weight = random.below(10)
    case 1: note.mood = mood
    case 2: note.text = "\(random.below(100))"
    default: try context.delete(note)
    }
  }

  @Test("A tree of sections stays balanced, and counts, whatever comes and goes")
  func trees() throws {
    for seed in SplitMix64.seeds(8) {
      var random = SplitMix64(seed: seed)
      let context = try context()
      let list = try LiveList(
        FetchRequest<Note>(sort: { $0.text }), in: context, sections: { $0.weight.descending })
      let mirror = ListMirror(list)
      for step in 0..<100 {
        let notes = try context.fetch(Note.self)
        let grows = step % 60 < 40
        try context.group {
          for note in notes.prefix(random.below(grows ? 3 : 20)) { try context.delete(note) }
          for _ in 0..<random.below(grows ? 20 : 3) {
            try context.insert(Note("", weight: random.below(seed % 2 == 0 ? 1000 : 40)))
          }
        }
        try #require(list.checkInvariants(), "LINEAGE_SEED=\(seed), step \(step)")
      }
      #expect(try mirror.complaint() == nil)
      context.discard()
    }
  }
}
