import ObjectGraph

extension StoreLaw {
  private static let id = Ref<Badge>(key: 1)
  private static let other = Ref<Badge>(key: 2)

  static let conflicts: [StoreLaw] = [
    StoreLaw("An update based on what somebody changed is a conflict that shows theirs") { store in
      let base = Badge("a", code: 1)
      try store.commit(.insert(id, base, in: store.model))
      try store.commit(.update(id, ["name"], from: base, to: Badge("b", code: 1), in: store.model))
      let conflict = try store.conflict {
        try store.commit(
          .insert(other, Badge("new"), in: store.model),
          .update(id, ["name"], from: base, to: Badge("c", code: 1), in: store.model))
      }
      try store.expectEqual(conflict.rows.map(\.id), [1])
      try store.expectEqual(conflict.rows.first?.theirs, [.text("b"), .integer(1)])
      try store.expectEqual(try store.value(id)?.name, "b")
      try store.expect(try store.value(other) == nil, "nothing of the commit written")
    },
    StoreLaw("Changes of different properties merge") { store in
      let base = Badge("a", code: 1)
      try store.commit(.insert(id, base, in: store.model))
      try store.commit(.update(id, ["name"], from: base, to: Badge("b", code: 1), in: store.model))
      try store.commit(.update(id, ["code"], from: base, to: Badge("a", code: 2), in: store.model))
      try store.expectEqual(try store.value(id)?.name, "b")
      try store.expectEqual(try store.value(id)?.code, 2)
    },
    StoreLaw("Nil is a base value like others") { store in
      let base = Badge("a")
      try store.commit(.insert(id, base, in: store.model))
      try store.commit(.update(id, ["code"], from: base, to: Badge("a", code: 1), in: store.model))
      _ = try store.conflict {
        try store.commit(
          .update(id, ["code"], from: base, to: Badge("a", code: 2), in: store.model))
      }
      try store.commit(
        .update(id, ["code"], from: Badge("a", code: 1), to: base, in: store.model))
      try store.expect(try store.value(id).map { $0.code == nil } ?? false, "nil again")
    },
    StoreLaw("Texts that are equal to Swift and differ in bytes are a change") { store in
      try store.commit(.insert(id, Badge("\u{E9}"), in: store.model))
      _ = try store.conflict {
        try store.commit(
          .update(id, ["name"], from: Badge("e\u{301}"), to: Badge("x"), in: store.model))
      }
    },
    StoreLaw("An unchecked update writes over theirs, but not over a row that is gone") { store in
      try store.commit(.insert(id, Badge("a"), in: store.model))
      try store.commit(
        .update(id, ["name"], from: Badge("old"), to: Badge("b"), checked: false, in: store.model))
      try store.expectEqual(try store.value(id)?.name, "b")
      let conflict = try store.conflict {
        try store.commit(
          .update(
            other, ["name"], from: Badge("x"), to: Badge("y"), checked: false, in: store.model))
      }
      try store.expect(conflict.rows.count == 1 && conflict.rows[0].theirs == nil, "gone")
    },
    StoreLaw("A delete of a changed or missing row is a conflict; unchecked it is none") { store in
      try store.commit(.insert(id, Badge("a", code: 1), in: store.model))
      let conflict = try store.conflict {
        try store.commit(
          .delete(id, Badge("a", code: 2), in: store.model),
          .delete(other, Badge("b"), in: store.model))
      }
      try store.expectEqual(conflict.rows.map(\.id).sorted(), [1, 2])
      let theirs = conflict.rows.sorted { $0.id < $1.id }.map(\.theirs)
      try store.expectEqual(theirs, [[.text("a"), .integer(1)], nil])
      try store.commit(
        .delete(id, Badge("x"), checked: false, in: store.model),
        .delete(other, Badge("y"), checked: false, in: store.model))
      try store.expect(try store.value(id) == nil, "deleted")
    },
    StoreLaw("All conflicts are told at once") { store in
      let ids = (1...9).map { Ref<Badge>(key: $0) }
      for id in ids { try store.commit(.insert(id, Badge("\(id.key)"), in: store.model)) }
      let conflict = try store.conflict {
        try store.store.commit(
          ids.map { id in
            .update(
              id, ["name"], from: Badge(id.key.isMultiple(of: 2) ? "\(id.key)" : "old"),
              to: Badge("new \(id.key)"), in: store.model)
          }, from: nil)
      }
      try store.expectEqual(conflict.rows.map(\.id).sorted(), [1, 3, 5, 7, 9])
      try store.expectEqual(try store.value(ids[1])?.name, "2")
    },
    StoreLaw("All conflicts are told at once, before a unique value that is taken") { store in
      let badges = ["a", "b", "c", "d"].map { Badge($0) }
      let ids = badges.indices.map { Ref<Badge>(key: Int64($0 + 1)) }
      let last = Ref<Group>(key: 1)
      for (id, badge) in zip(ids, badges) { try store.commit(.insert(id, badge, in: store.model)) }
      try store.commit(.insert(last, Group(), in: store.model))
      func rename(_ place: Int, from name: String, to other: String) -> Write {
        .update(ids[place], ["name"], from: Badge(name), to: Badge(other), in: store.model)
      }
      var renamed = Group()
      renamed.name = "renamed"
      let changed = rename(3, from: "old", to: "e")
      let changedLast = Write.update(last, ["name"], from: renamed, to: Group(), in: store.model)
      let deleted = Write.delete(ids[0], Badge("old"), in: store.model)
      for (writes, expected) in [
        // The name is that of a row that is not in the commit, and then of a row in conflict.
        ([rename(1, from: "b", to: "a")], []), ([rename(1, from: "b", to: "d"), changed], [4]),
        ([deleted, rename(1, from: "b", to: "a"), changed], [1, 4]),
      ] as [([Write], [Int64])] {
        let conflict = try store.conflict {
          try store.store.commit(writes + [changedLast], from: nil)
        }
        let badges = conflict.rows.filter { $0.entity != changedLast.entity }
        try store.expectEqual(badges.map(\.id).sorted(), expected)
        try store.expectEqual(conflict.rows.count, expected.count + 1)
      }
    },
  ]
}
