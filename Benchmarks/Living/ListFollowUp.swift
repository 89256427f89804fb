import Lineage

/// The `list follow-up` case: a song's rank is changed and saved, and the sorted list shows it.
///
/// The unwindowed list has all songs. The windowed list has a fixed number of songs around the
/// middle rank.
@MainActor struct ListFollowUp {
  static func cases(_ files: SongFiles) -> [BenchmarkCase] {
    [false, true].flatMap { isWindowed in
      [(1000, Effort.quick), (100_000, .standard), (1_000_000, .full)].map { rows, effort in
        BenchmarkCase(
          suite: .living, name: "list follow-up",
          parameters: [Parameter("rows", rows), Parameter("windowed", "\(isWindowed)")],
          unit: .microseconds, effort: effort, baseline: "fetch again",
          subjects: ListFollowUp(rows: rows, isWindowed: isWindowed, files: files).subjects,
          bars: rows >= 100_000 && !isWindowed
            ? [.ratio(of: "Lineage", to: "fetch again", atMost: 1 / 20)] : [])
      }
    }
  }

  let rows: Int
  let isWindowed: Bool
  let files: SongFiles

  private var subjects: [Subject] {
    [
      Subject(name: "fetch again") { try await trial(FetchedSongs.self) },
      Subject(name: "Lineage") { try await trial(FollowedSongs.self) },
    ]
  }

  private func trial<Shown: ShownSongs>(_: Shown.Type) async throws -> Trial {
    let context = try await files.store(rows).makeContext()
    let shown = try Shown(in: context, isWindowed: isWindowed)
    let changes = RankChanges(shown.songs, seed: files.seed)
    return Trial(
      answer: {
        for _ in 0..<20 { try shown.follow(changes.makeNext) }
        return shown.songs.answer
      },
      sample: { try Stopwatch.nanoseconds($0) { try shown.follow(changes.makeNext) } })
  }
}

/// A list of songs in the order of their ranks, in one of the compared implementations.
@MainActor protocol ShownSongs: AnyObject {
  init(in context: ObjectContext, isWindowed: Bool) throws
  /// The songs on screen.
  var songs: [Object<Song>] { get }
  /// Makes a change, saves it, and updates the list.
  func follow(_ change: () -> Void) throws
}

/// The bounds of the windowed lists of all subjects.
enum SongWindow {
  /// The lowest rank on screen. The first song on screen is the first song with at least this rank.
  static let start = Song.topRank / 2
  /// The number of rows that a window has in memory.
  static let capacity = 256
  /// The number of rows on screen.
  static let visible = 32
}

/// Random changes of rank, one song at a time. Equal songs and seeds give equal changes.
///
/// The first and the last song are never changed, and the other songs stay between the ranks of
/// these two. So all songs stay on screen.
@MainActor private final class RankChanges {
  private let songs: ArraySlice<Object<Song>>
  private let ranks: ClosedRange<Double>
  private var generator: SeededGenerator

  init(_ songs: [Object<Song>], seed: UInt64) {
    self.songs = songs.dropFirst().dropLast()
    ranks = songs[0].rank...songs[songs.count - 1].rank
    generator = SeededGenerator(seed: seed &+ 1)
  }

  func makeNext() {
    let song = songs[Int.random(in: songs.indices, using: &generator)]
    song.rank = .random(in: ranks, using: &generator)
  }
}
