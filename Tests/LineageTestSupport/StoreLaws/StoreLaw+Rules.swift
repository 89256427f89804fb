import ObjectGraph

extension StoreLaw {
  /// The laws of rules over several properties, of indexes, and of properties that are never in
  /// conflict.
  static let rules: [StoreLaw] = [
    StoreLaw("Values that are unique together go round within one commit") { store in
      let seats = [Seat("a", 1), Seat("a", 2), Seat("b", 1)]
      let ids = (1...3).map { Ref<Seat>(key: $0) }
      for (id, seat) in zip(ids, seats) { try store.commit(.insert(id, seat, in: store.model)) }
      let next = [seats[1], seats[2], seats[0]]
      try store.store.commit(
        ids.indices.map {
          .update(ids[$0], ["row", "number"], from: seats[$0], to: next[$0], in: store.model)
        }, from: nil)
      try store.expectEqual(try ids.map { try store.value($0) }, next)
    },
    StoreLaw("A property that is never in conflict is not checked") { store in
      let id = Ref<Seat>(key: 1)
      let base = Seat("a", 1, note: "base")
      try store.commit(.insert(id, base, in: store.model))
      let theirs = Seat("a", 1, note: "theirs")
      try store.commit(.update(id, ["note"], from: base, to: theirs, in: store.model))
      let mine = Seat("a", 2, note: "mine")
      try store.commit(.update(id, ["number", "note"], from: base, to: mine, in: store.model))
      try store.expectEqual(try store.value(id), mine)
      let conflict = try store.conflict {
        try store.commit(
          .update(id, ["number", "note"], from: base, to: theirs, in: store.model))
      }
      try store.expectEqual(conflict.rows.map(\.id), [1])
      try store.commit(.delete(id, Seat("a", 2, note: "base"), in: store.model))
      try store.expectEqual(try store.value(id), nil)
    },
    StoreLaw("An index over several properties changes no result") { store in
      let seats = (0..<60).map { Seat("\($0 % 4)", $0, price: ($0 * 7) % 11) }
      try store.store.commit(
        seats.enumerated().map { .insert(Ref(key: Int64($0)), $1, in: store.model) }, from: nil)
      let reader = try store.store.makeReader()
      defer { reader.end() }
      for row in 0..<5 {
        for price in -1..<12 {
          let request = FetchRequest<Seat>(
            where: { $0.row == "\(row)" && $0.price >= price }, sort: { $0.price.descending })
          let expected = seats.indices
            .filter { seats[$0].row == "\(row)" && seats[$0].price >= price }
            .sorted { (-seats[$0].price, $0) < (-seats[$1].price, $1) }
          try store.expectEqual(try reader.ids(try store.query(request)), expected.map(Int64.init))
        }
      }
    },
    StoreLaw("The first broken rule of the first object is named, and nothing is written") {
      store in
      let seed = SplitMix64.seed(34)
      var random = SplitMix64(seed: seed)
      var rows: [Int64: Seat] = [:]
      var refusals = 0
      for _ in 0..<600 {
        let before = rows
        var writes: [Write] = []
        for id in Array(Int64(1)...7).shuffled(using: &random).prefix(1 + random.below(5)) {
          let seat = Seat(
            random.pick(["a", "b"]), random.pick([nil, 1, 2, 3]), code: random.pick([nil, 1, 2, 3]))
          guard let old = rows[id] else {
            writes.append(.insert(Ref(key: id), seat, in: store.model))
            rows[id] = seat
            continue
          }
          guard random.below(4) > 0 else {
            writes.append(.delete(Ref(key: id), old, in: store.model))
            rows[id] = nil
            continue
          }
          let names = random.pick([
            ["row"], ["number"], ["code"], ["row", "number", "code"], ["price"],
          ])
          writes.append(.update(Ref(key: id), names, from: old, to: seat, in: store.model))
          if names.contains("row") { rows[id]?.row = seat.row }
          if names.contains("number") { rows[id]?.number = seat.number }
          if names.contains("code") { rows[id]?.code = seat.code }
          if names.contains("price") { rows[id]?.price = seat.price }
        }
        let written = Set(writes.map(\.id))
        if let broken = brokenRule(rows, written) {
          rows = before
          refusals += 1
          do {
            try store.store.commit(writes, from: nil)
            throw BrokenLaw(description: "not refused, seed \(seed)")
          } catch let error as GraphError {
            try store.expectEqual("\(error)", broken)
          }
        } else {
          try store.store.commit(writes, from: nil)
        }
        for id in Int64(1)...7 { try store.expectEqual(try store.value(Ref(key: id)), rows[id]) }
      }
      try store.expect(refusals > 100, "many refusals")
    },
  ]

  /// Returns the text of the error for rows that break a rule; nil if they break none.
  private static func brokenRule(_ rows: [Int64: Seat], _ written: Set<Int64>) -> String? {
    for id in written.sorted() {
      guard let seat = rows[id] else { continue }
      func holder(_ isSame: (Seat) -> Bool) -> Int64? {
        rows.filter {
          $0.key != id && ($0.key < id || !written.contains($0.key)) && isSame($0.value)
        }
        .keys.min()
      }
      func text(_ properties: String, _ holder: Int64) -> String {
        "could not save Seat/\(id): another Seat has the same \(properties) as Seat/\(holder)"
      }
      if seat.number != nil,
        let other = holder({ $0.row == seat.row && $0.number == seat.number })
      {
        return text("row, number", other)
      }
      if seat.code != nil, let other = holder({ $0.code == seat.code }) {
        return text("code", other)
      }
    }
    return nil
  }
}
