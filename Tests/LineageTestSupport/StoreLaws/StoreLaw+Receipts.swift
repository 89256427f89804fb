import Foundation
import ObjectGraph

extension StoreLaw {
  static let receipts: [StoreLaw] = [
    StoreLaw("A receipt is committed with its writes, and replaces an earlier one") { store in
      let (mine, other, day) = (UUID(), UUID(), 86_400.0)
      func commit(_ writes: [Write], _ id: UUID, _ count: Int64, date: Double = 0) throws {
        let receipt = Receipt(id: id, count: count, date: date)
        try store.store.commit(writes, [receipt], from: nil, resolving: nil)
      }
      try store.expect(try store.store.receipts(of: [mine])[mine] == nil, "none yet")
      try commit([.insert(Ref(key: 1), Badge("a"), in: store.model)], mine, 1)
      try store.expectEqual(try store.store.receipts(of: [mine])[mine], 1)
      try store.expect(
        try store.store.receipts(of: [mine, other])[other] == nil, "none of another")
      _ = try store.refusal {
        try commit([.insert(Ref(key: 1), Badge("b"), in: store.model)], mine, 2)
      }
      try store.expectEqual(try store.store.receipts(of: [mine])[mine], 1)
      try commit([], mine, 7, date: day)
      try store.expectEqual(try store.store.receipts(of: [mine])[mine], 7)
      try commit([], other, .max, date: 32 * day)
      try store.expect(
        try store.store.receipts(of: [mine])[mine] == nil, "forgotten after thirty days")
      try store.expectEqual(try store.store.receipts(of: [mine, other])[other], .max)
    },
    StoreLaw("A resolver is asked again for other rows, at most seven times, and reads") { store in
      let (first, second) = (Ref<Badge>(key: 1), Ref<Badge>(key: 2))
      func stale(_ id: Ref<Badge>) -> Write {
        .update(id, ["name"], from: Badge("old"), to: Badge("mine"), in: store.model)
      }
      try store.commit(
        .insert(first, Badge("a"), in: store.model), .insert(second, Badge("b"), in: store.model))
      var asked: [Int64] = []
      try store.store.commit([stale(first)], [], from: nil) { conflict, row in
        asked += conflict.rows.map(\.id)
        let entity = conflict.rows[0].entity
        try store.expectEqual(try row(entity, asked.last ?? 0), conflict.rows[0].theirs)
        try store.expect(try row(entity, 9) == nil, "no such row")
        if asked.count == 1 { return [stale(second)] }
        return [.update(second, ["name"], from: Badge("b"), to: Badge("mine"), in: store.model)]
      }
      try store.expectEqual(asked, [1, 2])
      try store.expectEqual(try store.value(second)?.name, "mine")
      asked = []
      _ = try store.conflict {
        try store.store.commit([stale(first)], [], from: nil) { conflict, _ in
          asked += conflict.rows.map(\.id)
          return [stale(first)]
        }
      }
      try store.expectEqual(asked.count, 7)
      try store.expectEqual(try store.value(first)?.name, "a")
    },
  ]
}
