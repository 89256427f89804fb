import Foundation
import ObjectGraph

extension StoreLaw {
  static let reading: [StoreLaw] = [
    StoreLaw("Each value comes back as it was written") { store in
      let world = World(seed: 1)
      try store.store.commit(world.writes(in: store.model), from: nil)
      for row in world.samples {
        try store.expect(
          try store.value(row.id).map { sameColumns($0, row.value) } ?? false, "\(row)")
      }
      for row in world.groups {
        try store.expect(
          try store.value(row.id).map { sameColumns($0, row.value) } ?? false, "\(row)")
      }
      try store.expect(try store.value(Ref<Sample>(key: 2)) == nil, "a row that nobody wrote")
    },
    StoreLaw("Cursors load the columns of the row they are at") { store in
      let world = World(seed: 2)
      try store.store.commit(world.writes(in: store.model), from: nil)
      let reader = try store.store.makeReader()
      defer { reader.end() }
      let cursor = try reader.cursor(
        try store.query(FetchRequest<Sample>(sort: { $0.id.descending })))
      defer { cursor.close() }
      let cells = CellRow(count: Sample.layout.columns.count)
      for row in world.samples.reversed() {
        try store.expectEqual(try cursor.next(), row.id.key)
        cursor.load(into: cells)
        for (index, column) in Sample.layout.columns.enumerated() {
          var value = row.value
          let stored = try StructMemory.lend(&value) { try column.stored(of: $0) }
          try store.expectEqual(cells[index].stored, stored)
        }
      }
      try store.expect(try cursor.next() == nil, "at the end")
      try store.expect(try cursor.next() == nil, "still at the end")
    },
    StoreLaw("A cursor within a cursor disturbs neither, nor does a row by id") { store in
      let world = World(seed: 3, samples: 5, groups: 2)
      try store.store.commit(world.writes(in: store.model), from: nil)
      let reader = try store.store.makeReader()
      defer { reader.end() }
      let query = try store.query(FetchRequest<Sample>())
      let outer = try reader.cursor(query)
      defer { outer.close() }
      for row in world.samples {
        try store.expectEqual(try outer.next(), row.id.key)
        try store.expectEqual(try reader.ids(query), world.samples.map(\.id.key))
        try store.expect(try reader.value(world.samples[0].id, in: store.model) != nil, "there")
      }
      try store.expect(try outer.next() == nil, "at the end")
    },
    StoreLaw("A reader sees one moment, from its first read until its end") { store in
      let id = Ref<Badge>(key: 1)
      let query = try store.query(FetchRequest<Badge>())
      let reader = try store.store.makeReader()
      try store.commit(.insert(id, Badge("a"), in: store.model))
      try store.expectEqual(try reader.ids(query), [1])
      try store.commit(
        .update(id, ["name"], from: Badge("a"), to: Badge("b"), in: store.model),
        .insert(Ref(key: 2), Badge("c"), in: store.model))
      try store.expectEqual(try reader.value(id, in: store.model)?.name, "a")
      try store.expectEqual(try reader.ids(query), [1])
      try store.expectEqual(try reader.aggregate(.count, of: query), .integer(1))
      reader.end()
      try store.expectEqual(try reader.value(id, in: store.model)?.name, "b")
      try store.expectEqual(try reader.aggregate(.count, of: query), .integer(2))
      reader.end()
    },
    StoreLaw("A moment has a number of its own until its end, and open cursors outlive that") {
      store in
      try store.commit(.insert(Ref(key: 1), Badge("a"), in: store.model))
      let query = try store.query(FetchRequest<Badge>())
      let reader = try store.store.makeReader()
      try store.expectEqual(reader.moment, 0)
      try reader.begin()
      let first = reader.moment
      try store.expect(first != 0, "a moment")
      try store.expectEqual(try reader.ids(query), [1])
      try store.expectEqual(reader.moment, first)
      let cursor = try reader.cursor(query)
      try store.commit(.insert(Ref(key: 2), Badge("b"), in: store.model))
      reader.end()
      try store.expectEqual(try cursor.next(), 1)
      try store.expect(try cursor.next() == nil, "the rows of its moment")
      try store.expectEqual(reader.moment, 0)
      try store.expectEqual(try reader.ids(query), [1, 2])
      try store.expect(reader.moment != 0 && reader.moment != first, "another moment")
      reader.end()
      try store.expectEqual(reader.moment, 0)
    },
    StoreLaw("A name that the schema lacks is an error of the read") { store in
      let reader = try store.store.makeReader()
      defer { reader.end() }
      let gone = PropertyPath(name: "gone")
      let entity = try store.query(FetchRequest<Sample>()).entity
      let queries = [
        Query(entity: entity, condition: .compare(gone, .equal, .null)),
        Query(entity: entity, order: [OrderTerm(property: gone, isDescending: false)]),
      ]
      for query in queries {
        guard case .request(_, "gone", _) = try store.refusal({ _ = try reader.ids(query) }) else {
          throw BrokenLaw(description: "another error")
        }
      }
    },
  ]

  /// Returns whether two values have equal stored values in every column.
  static func sameColumns<Value: Entity>(_ one: Value, _ other: Value) -> Bool {
    var (one, other) = (one, other)
    return StructMemory.lend(&one) { one in
      StructMemory.lend(&other) { other in
        Value.layout.columns.allSatisfy {
          (try? $0.stored(of: one)) == (try? $0.stored(of: other))
        }
      }
    }
  }
}
