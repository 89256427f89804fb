import Foundation
import ObjectGraph

extension StoreLaw {
  private static let id = Ref<Badge>(key: 1)
  private static let other = Ref<Badge>(key: 2)

  static let checks: [StoreLaw] = [
    StoreLaw("An insert whose id exists is refused and overwrites nothing") { store in
      try store.commit(.insert(id, Badge("a"), in: store.model))
      let reason = try store.refusal {
        try store.commit(
          .insert(other, Badge("b"), in: store.model), .insert(id, Badge("c"), in: store.model))
      }
      guard case .idTaken("Badge/1") = reason else { throw BrokenLaw(description: "\(reason)") }
      try store.expectEqual(try store.value(id)?.name, "a")
      try store.expect(try store.value(other) == nil, "nothing of the commit written")
    },
    StoreLaw("A row can be deleted and inserted anew in one commit") { store in
      let inbox = Inbox()
      try store.commit(.insert(id, Badge("a", code: 1), in: store.model))
      store.store.subscribe(inbox)
      try store.commit(
        .insert(id, Badge("b"), in: store.model),
        .delete(id, Badge("a", code: 1), in: store.model))
      try store.expectEqual(try store.value(id)?.name, "b")
      let news = inbox.take()
      let entity = try store.query(FetchRequest<Badge>()).entity
      try store.expectEqual(news.touched[entity], [1])
      try store.expect(news.deleted[entity, default: []].isEmpty, "news of a row that is there")
    },
    StoreLaw("Unique values: refused with names, except nil and what differs in bytes") { store in
      try store.commit(.insert(id, Badge("\u{E9}"), in: store.model))
      try store.commit(.insert(other, Badge("e\u{301}"), in: store.model))
      let third = Ref<Badge>(key: 3)
      let reason = try store.refusal {
        try store.commit(.insert(third, Badge("\u{E9}"), in: store.model))
      }
      guard case .notUnique("Badge", ["name"], _) = reason else {
        throw BrokenLaw(description: "\(reason)")
      }
      try store.expect(try store.value(third) == nil, "nothing written")
      _ = try store.refusal {
        try store.commit(
          .update(other, ["name"], from: Badge("e\u{301}"), to: Badge("\u{E9}"), in: store.model))
      }
    },
    StoreLaw("Unique values are handed over in a circle within one commit") { store in
      let ids = (1...3).map { Ref<Badge>(key: $0) }
      let badges = [Badge("a", code: 1), Badge("b", code: 2), Badge("c", code: 3)]
      for (id, badge) in zip(ids, badges) { try store.commit(.insert(id, badge, in: store.model)) }
      let next = [badges[1], badges[2], badges[0]]
      try store.store.commit(
        ids.indices.map {
          .update(ids[$0], ["name", "code"], from: badges[$0], to: next[$0], in: store.model)
        }, from: nil)
      try store.expectEqual(try ids.map { try store.value($0)?.name }, ["b", "c", "a"])
      try store.commit(
        .insert(Ref(key: 4), Badge("b", code: 2), in: store.model),
        .delete(ids[0], next[0], in: store.model))
      try store.expectEqual(try store.value(Ref<Badge>(key: 4))?.code, 2)
    },
    StoreLaw("A reference to what is not there is refused with object, property and target") {
      store in
      var sample = Sample()
      sample.group = Ref(key: 5)
      let reason = try store.refusal {
        try store.commit(.insert(Ref(key: 1), sample, in: store.model))
      }
      guard case .dangling("Sample/1", "group", "Group/5") = reason else {
        throw BrokenLaw(description: "\(reason)")
      }
      try store.expect(try store.value(Ref<Sample>(key: 1)) == nil, "nothing written")
    },
    StoreLaw("References may lead forwards, in circles and to oneself") { store in
      var sample = Sample()
      sample.group = Ref(key: 5)
      sample.friend = Ref(key: 1)
      var group = Group()
      group.leader = Ref(key: 1)
      try store.commit(
        .insert(Ref(key: 1), sample, in: store.model), .insert(Ref(key: 5), group, in: store.model))
      try store.expectEqual(try store.value(Ref<Group>(key: 5))?.leader?.key, 1)
      let reason = try store.refusal {
        try store.commit(.delete(Ref(key: 5), group, in: store.model))
      }
      guard case .dangling("Sample/1", "group", "Group/5") = reason else {
        throw BrokenLaw(description: "\(reason)")
      }
      try store.commit(
        .delete(Ref(key: 5), group, in: store.model), .delete(Ref(key: 1), sample, in: store.model))
      try store.expect(try store.value(Ref<Group>(key: 5)) == nil, "deleted")
    },
    StoreLaw("What no column holds is refused with its name") { store in
      var sample = Sample()
      sample.huge = .max
      var other = Sample()
      other.maybeScore = .nan
      var third = Sample()
      third.price = .nan
      for (sample, name) in [(sample, "huge"), (other, "maybeScore"), (third, "price")] {
        let reason = try store.refusal {
          try store.commit(
            .insert(Ref<Group>(key: 1), Group(), in: store.model),
            .insert(Ref(key: 1), sample, in: store.model))
        }
        guard case .invalid(let objects) = reason, objects.first?.object == "Sample/1",
          objects.first?.problems.first?.property == name
        else { throw BrokenLaw(description: "\(reason)") }
        try store.expect(try store.value(Ref<Group>(key: 1)) == nil, "nothing written")
      }
    },
    StoreLaw("An empty commit is none") { store in try store.commit() },
  ]
}
