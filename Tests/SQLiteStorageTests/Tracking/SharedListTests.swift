import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

/// Tests of a list over a file with three writers: this process, another process with a store, and
/// a program that runs plain SQL.
@Suite("A list over a shared file") struct SharedListTests {
  @Test(
    "shows what a fresh fetch finds, and its changes lead there",
    arguments: SplitMix64.seeds(6, from: 0))
  func follows(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let folder = try Drawer()
    let store = try await SQLiteStore.open(at: folder.file(), [Sample.self, Group.self])
    let context = store.makeContext()
    context.conflictPolicy = .mine
    let child = context.makeChild()
    let request = FetchRequest<Group>(
      where: { $0.weight < 50 },
      sort: {
        $0.weight
        $0.id
      })
    let lists = try [context, child].map { try LiveList(request, in: $0) }
    var shown: [[[String]]] = [[[]], [[]]]
    let tokens = lists.enumerated().map { place, list in
      list.observe { list, changes in changes.apply(to: &shown[place]) { Self.row(list[$0]) } }
    }
    var next = 1
    for _ in 0..<25 {
      let weight = random.below(100)
      switch random.below(5) {
      case 0:
        let said = try OtherProcess.probe(
          "insert", folder.file().path, "\(next)", "\(next + random.below(3))"
        ).end()
        #expect(said.contains("done"), "\(said)")
        next += 3
      case 1:
        try folder.sqlite3("UPDATE \"Group\" SET weight = \(weight) WHERE id % 3 = \(weight % 3)")
      case 2: try folder.sqlite3("DELETE FROM \"Group\" WHERE id % 7 = \(weight % 7)")
      case 3:
        for group in try context.fetch(Group.self) where random.chance(40) { group.weight = weight }
        try context.save()
      default:
        // The child's edits may stay unsaved while others write.
        for group in try child.fetch(Group.self) where random.chance(30) { group.weight = weight }
        if random.chance(50) { try child.saveAll() }
      }
      try context.merge()
      for (place, list) in lists.enumerated() {
        let fresh = try list.context.fetch(request).map(Self.row)
        #expect(list.map(Self.row) == fresh, "LINEAGE_SEED=\(seed)")
        #expect(shown[place].flatMap(\.self) == fresh, "LINEAGE_SEED=\(seed)")
      }
    }
    child.discard()
    context.discard()
    withExtendedLifetime(tokens) {}
  }

  private static func row(_ group: Object<Group>) -> String {
    "\(group.id.key)=\(group.weight ?? -1)"
  }

  @Test("is right after a merge, though made after what it brings")
  func madeBeforeTheNews() async throws {
    let folder = try Drawer()
    let store = try await SQLiteStore.open(at: folder.file(), [Sample.self, Group.self])
    let context = store.makeContext()
    func insert(_ id: Int64, _ weight: Int) throws -> Object<Group> {
      var group = Group()
      group.weight = weight
      let object = Object(group, id: Ref(key: id))
      try context.insert(object)
      return object
    }
    let held = try [(1, 20), (2, 40), (3, 1), (4, 50), (5, 60)].map { try insert($0, $1) }
    try context.save()
    let other = try OtherProcess.probe("increment", folder.file().path, "3", "40")
    #expect(other.end().contains("done"))
    // The store has not looked for the probe's commits yet.
    let list = try LiveList(FetchRequest<Group>(sort: { $0.weight }), in: context)
    _ = try insert(6, 30)
    #expect(list.count == 6)
    try context.merge()
    #expect(held[2].weight == 41)
    let fresh = try context.fetch(Group.self, sort: { $0.weight })
    #expect(fresh.map(\.weight) == [20, 30, 40, 41, 50, 60])
    #expect(list.map(\.weight) == fresh.map(\.weight))
  }
}
