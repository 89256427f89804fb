import ObjectGraph

extension StoreLaw {
  static let news: [StoreLaw] = [
    StoreLaw("A commit is news to the others, not to the one who commits") { store in
      let (mine, other) = (Inbox(), Inbox())
      store.store.subscribe(mine)
      store.store.subscribe(other)
      let entity = try store.query(FetchRequest<Badge>()).entity
      let (id, second) = (Ref<Badge>(key: 1), Ref<Badge>(key: 2))
      try store.commit(.insert(id, Badge("a"), in: store.model), from: mine)
      try store.commit(
        .delete(id, Badge("a"), in: store.model), .insert(second, Badge("b"), in: store.model),
        from: mine)
      try store.store.postForeignCommits()
      try store.expect(mine.isEmpty, "empty for the one who commits")
      let news = other.take()
      try store.expectEqual(news.touched[entity], [2])
      try store.expectEqual(news.deleted[entity], [1])
      try store.expect(!news.isEverything, "told in detail")
      try store.expect(other.isEmpty, "taken")
    },
    StoreLaw("A refused commit is no news, and nobody keeps an inbox alive") { store in
      let other = Inbox()
      store.store.subscribe(other)
      weak var gone: Inbox?
      do {
        let inbox = Inbox()
        store.store.subscribe(inbox)
        gone = inbox
      }
      try store.expect(gone == nil, "given back")
      _ = try store.conflict {
        try store.commit(.delete(Ref(key: 9), Badge("x"), in: store.model))
      }
      try store.expect(other.isEmpty, "silent")
      try store.commit(.insert(Ref(key: 1), Badge("a"), in: store.model))
      try store.expect(!other.isEmpty, "news")
    },
  ]
}
