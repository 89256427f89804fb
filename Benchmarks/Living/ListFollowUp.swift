import Lineage

/// `list follow-up`: a song gets another rank, it is saved, and the sorted list shows it.
@MainActor struct ListFollowUp {
  static func cases(_ files: SongFiles) -> [BenchmarkCase] {
    [(1000, Effort.quick), (100_000, .standard), (1_000_000, .full)].map { rows, effort in
      BenchmarkCase(
        suite: .living, name: "list follow-up",
        parameters: [Parameter("rows", rows), Parameter("windowed", "false")],
        unit: .microseconds, effort: effort, baseline: "fetch again",
        subjects: ListFollowUp(rows: rows, files: files).subjects)
    }
  }

  let rows: Int
  let files: SongFiles

  private var subjects: [Subject] {
    [
      Subject(name: "fetch again") { try await trial(FetchedSongs.self) },
      Subject(name: "Lineage") { try await trial(FollowedSongs.self) },
    ]
  }

  private func trial<Shown: ShownSongs>(_: Shown.Type) async throws -> Trial {
    let context = try await files.store(rows).makeContext()
    let shown = try Shown(in: context)
    let changes = RankChanges(shown.songs, seed: files.seed)
    return Trial(
      answer: {
        for _ in 0..<20 { try shown.follow(changes.makeNext) }
        return shown.songs.answer.merging(["heard": shown.heard]) { $1 }
      },
      sample: { try Stopwatch.nanoseconds($0) { try shown.follow(changes.makeNext) } })
  }
}

/// Songs in the order of their ranks, brought up to date in one of the compared ways.
@MainActor protocol ShownSongs: AnyObject {
  init(in context: ObjectContext) throws
  var songs: [Object<Song>] { get }
  /// How often the screen would have been drawn.
  var heard: Int { get }
  /// Makes a change, saves it, and shows it.
  func follow(_ change: () -> Void) throws
}

/// Changes of one song after another, the same ones for the same songs.
@MainActor private final class RankChanges {
  private let songs: [Object<Song>]
  private var generator: SeededGenerator

  init(_ songs: [Object<Song>], seed: UInt64) {
    self.songs = songs
    generator = SeededGenerator(seed: seed &+ 1)
  }

  func makeNext() {
    let song = songs[Int.random(in: songs.indices, using: &generator)]
    song.rank = .random(using: &generator)
  }
}
