import Lineage

/// The `restore edits` case: each screen has a branch with unsaved edits, which come back. In the
/// baseline, the same screens come back without edits. Then code by hand fetches the same objects in
/// one query, makes the children, and sets the same properties.
@MainActor struct EditCases {
  let branches: Int
  let edits: Int
  private let songs: SongFiles

  init(branches: Int, edits: Int, seed: UInt64) {
    (self.branches, self.edits) = (branches, edits)
    songs = SongFiles(seed: seed)
  }

  var benchmark: BenchmarkCase {
    var bar = Bar.ratio(of: "archive", to: "by hand", atMost: 1.5)
    bar.reason =
      "each edit is decoded from the archive and compared with its row, which the baseline does not do"
    return BenchmarkCase(
      suite: .restoration, name: "restore edits",
      parameters: [Parameter("branches", branches), Parameter("edits", edits)],
      unit: .milliseconds, effort: .quick, baseline: "by hand",
      subjects: [
        subject("by hand") { store, ids in
          let archive = try archive(store, ids) { $0.branch(ObjectContext.self) }
          return {
            let tree = EditTree(store, archive)
            try edit(tree, ids)
            return tree
          }
        },
        subject("archive") { store, ids in
          let archive = try archive(store, ids) {
            $0.branch(ObjectContext.self, restoring: .edits)
          }
          return { EditTree(store, archive) }
        },
      ],
      bars: [bar])
  }

  private func subject(
    _ name: String,
    _ prepare:
      @escaping @MainActor (SQLiteStore, [Ref<Song>]) throws ->
      @MainActor () throws ->
      EditTree
  ) -> Subject {
    Subject(name: name) {
      let store = try await songs.store(branches * edits * 10)
      // Every tenth song is edited.
      let ids = try store.makeContext().fetch(Song.self, sort: { $0.number })
        .filter { $0.number % 10 == 0 }.map(\.id)
      let make = try prepare(store, ids)
      return Trial(
        answer: { try make().answer }, sample: { try Stopwatch.nanoseconds($0) { try make() } })
    }
  }

  /// Returns the archive of screens with edits. The closure makes their branches.
  private func archive(
    _ store: SQLiteStore, _ ids: [Ref<Song>], _ branch: (Controller) -> Void
  ) throws -> StateArchive {
    let tree = EditTree(store, nil)
    for number in 0..<branches {
      let screen = Controller()
      screen.restorationIdentifier = "\(number)"
      screen.restorationKind = "screen"
      branch(screen)
      try tree.application.append(screen)
    }
    try edit(tree, ids)
    return tree.restoration.archive(of: tree.application)
  }

  private func edit(_ tree: EditTree, _ ids: [Ref<Song>]) throws {
    let root = try tree.application.require(ObjectContext.self)
    let songs = try root.fetch(Song.self, where: { $0.id.isIn(ids) }, sort: { $0.number })
    for (number, screen) in tree.application.children.enumerated() {
      let context = try screen.require(ObjectContext.self)
      for song in songs[number * edits..<(number + 1) * edits] {
        try context.object(with: song.id).rank += 1
      }
    }
  }
}

/// A tree of screens with unsaved edits.
@MainActor private final class EditTree {
  let application = Application()
  let restoration = Restoration {
    Kind("screen") { _ in Controller() }
    ContextName.objects
  }

  /// Restores a tree from an archive.
  init(_ store: SQLiteStore, _ archive: StateArchive?) {
    let root = store.makeContext()
    // The edits are never saved.
    root.onError = { _ in }
    application.provide(root)
    application.launch(restoring: restoration, from: archive)
  }

  /// The number of edited songs, and a checksum of their ranks.
  var answer: Answer {
    get throws {
      var (count, sum) = (0, 0)
      for screen in application.children {
        let context = try screen.require(ObjectContext.self)
        for song in try context.fetch(Song.self, sort: { $0.number })
        where song.changes.properties == ["rank"] {
          count += 1
          sum = sum &* 31 &+ Int(song.rank * 1_000)
        }
      }
      return ["edits": count, "ranks": sum]
    }
  }
}
