import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Synchronization
import Testing

private struct Wide: Entity, Equatable {
  var a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0
  static let schema = Schema<Wide>("Wide") {
    Attribute("a", \.a)
    Attribute("b", \.b)
    Attribute("c", \.c)
    Attribute("d", \.d)
    Attribute("e", \.e)
    Attribute("f", \.f)
    Attribute("g", \.g)
    Attribute("h", \.h)
    Attribute("i", \.i)
  }
  nonisolated(unsafe) static let paths: [(String, WritableKeyPath<Wide, Int>)] = [
    ("a", \.a), ("b", \.b), ("c", \.c), ("d", \.d), ("e", \.e), ("f", \.f), ("g", \.g), ("h", \.h),
    ("i", \.i),
  ]
}

@Suite("Many changes in one commit, with conflicts") struct CommitShapeTests {
  private let folder: Drawer
  private static let entities: [any Entity.Type] = [Item.self, Box.self]

  init() throws { folder = try Drawer() }

  @Test("511 sets of changed columns, several times, with conflicts and failures") func masks()
    async throws
  {
    let store = try await SQLiteStore.open(at: folder.file(), [Wide.self])
    var random = SplitMix64(seed: 33)
    var rows = [Int64: Wide]()
    try store.commit(
      (1...60).map { .insert(Ref<Wide>(key: $0), Wide(), in: store.model) }, from: nil)
    for id in 1...60 { rows[Int64(id)] = Wide() }
    for round in 0..<40 {
      var writes: [Write] = []
      var next = rows
      var isBad = false
      for id in rows.keys.sorted() {
        guard let base = next[id] else { continue }
        let mask = 1 + random.below(511)
        var value = base
        var names: [String] = []
        for (bit, (name, path)) in Wide.paths.enumerated() where mask & (1 << bit) != 0 {
          value[keyPath: path] = random.below(1000)
          names.append(name)
        }
        var stated = base
        // Some bases are wrong, which is a conflict that is resolved below.
        if random.below(40) == 0,
          let (name, path) = Wide.paths.first(where: { names.contains($0.0) }
          )
        {
          _ = name
          stated[keyPath: path] -= 1
          isBad = true
        }
        let ref = Ref<Wide>(key: id)
        let checked = random.below(4) != 0
        writes.append(
          .update(ref, names, from: stated, to: value, checked: checked, in: store.model))
        next[id] = value
      }
      let resolves = round % 2 == 0
      let current = next
      let calls = Mutex(0)
      do {
        try store.commit(writes, [], from: nil) { conflict, row in
          let count = calls.withLock {
            $0 += 1
            return $0
          }
          guard resolves else { throw conflict }
          // First answers wrongly a few times.
          if count < 4 { return writes }
          let ids = Set(conflict.rows.map(\.id))
          for id in ids { #expect(try row(0, id) != nil) }
          return writes.map { write in
            guard ids.contains(write.id), let value = current[write.id] else { return write }
            return .update(
              Ref<Wide>(key: write.id), Wide.paths.map(\.0), from: value, to: value,
              checked: false, in: store.model)
          }
        }
        rows = next
      } catch is CommitConflict {
        #expect(isBad && !resolves)
      }
      let reader = try store.makeReader()
      for (id, value) in rows {
        #expect(try reader.value(Ref<Wide>(key: id), in: store.model) == value, "round \(round)")
      }
      reader.end()
    }
    #expect(try await store.check() == [])
  }

  @Test(
    "Unique values that rotate between rows, with conflicts and foreign indexes", arguments: 0..<6)
  func rotations(_ seed: Int) async throws {
    let store = try await SQLiteStore.open(at: folder.file(), Self.entities)
    var random = SplitMix64(seed: UInt64(seed))
    try store.insert(1...30)
    var names = Dictionary(uniqueKeysWithValues: (1...30).map { ($0, "i\($0)") })
    var counts = Dictionary(uniqueKeysWithValues: (1...30).map { ($0, $0) })
    let isForeign = seed % 2 == 1
    if isForeign { try folder.sqlite3("CREATE UNIQUE INDEX foreign_one ON Item (count)") }
    for round in 0..<40 {
      // Another program changes some counts or names.
      if random.below(2) == 0 {
        let id = 1 + random.below(30)
        counts[id] = 10_000 + round
        try folder.sqlite3("UPDATE Item SET count = \(10_000 + round) WHERE id = \(id)")
      }
      let size = 2 + random.below(20)
      var ids = Array(1...30)
      for index in ids.indices { ids.swapAt(index, random.below(30)) }
      ids = Array(ids.prefix(size))
      var base: [Int: Item] = [:]
      var wanted: [Int: Item] = [:]
      for (position, id) in ids.enumerated() {
        let other = ids[(position + 1) % size]
        base[id] = Item(name: names[id] ?? "", count: counts[id] ?? 0)
        wanted[id] = Item(name: names[other] ?? "", count: 20_000 + round * 100 + position)
      }
      var stale: Set<Int> = []
      for id in ids where random.below(6) == 0 {
        base[id]?.count -= 1
        stale.insert(id)
      }
      func writes(_ base: [Int: Item]) -> [Write] {
        ids.compactMap { id in
          guard let old = base[id], let new = wanted[id] else { return nil }
          return .update(
            Ref<Item>(key: Int64(id)), ["name", "count"], from: old, to: new, in: store.model)
        }
      }
      let start = base
      var (calls, corrected) = (0, start)
      try store.commit(writes(start), [], from: nil) { conflict, row in
        calls += 1
        // Corrects one row only in the first calls, so that there are several conflicts.
        for (index, found) in conflict.rows.enumerated() where calls > 3 || index == 0 {
          let theirs = try #require(found.theirs)
          let again = try row(found.entity, found.id)
          #expect(again == theirs)
          guard case .text(let name) = theirs[0], case .integer(let count) = theirs[1] else {
            throw Unexpected(theirs)
          }
          corrected[Int(found.id)] = Item(name: name, count: Int(count))
        }
        return writes(corrected)
      }
      for id in ids {
        names[id] = wanted[id]?.name
        counts[id] = wanted[id]?.count
      }
      let reader = try store.makeReader()
      for id in 1...30 {
        #expect(
          try reader.value(Ref<Item>(key: Int64(id)), in: store.model)
            == Item(name: names[id] ?? "", count: counts[id] ?? 0), "round \(round), id \(id)")
      }
      reader.end()
    }
    #expect(try await store.check() == [])
  }

  @Test("A foreign unique index over values that swap: a typed error, and the next save works")
  func foreignSwap() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), Self.entities)
    try store.insert(1...3)
    try folder.sqlite3("CREATE UNIQUE INDEX foreign_one ON Item (count)")
    let swap: [Write] = [
      .update(
        Ref<Item>(key: 1), ["count"], from: Item(name: "i1", count: 1),
        to: Item(name: "i1", count: 2), in: store.model),
      .update(
        Ref<Item>(key: 2), ["count"], from: Item(name: "i2", count: 2),
        to: Item(name: "i2", count: 1), in: store.model),
    ]
    let error = #expect(throws: GraphError.self) { try store.commit(swap, from: nil) }
    guard case .notUnique? = error?.reason else { throw Unexpected(error as Any) }
    try store.setCount(1, from: 1, to: 9)
    #expect(try store.item(1)?.count == 9)
    #expect(try store.item(2)?.count == 2)
  }
}
