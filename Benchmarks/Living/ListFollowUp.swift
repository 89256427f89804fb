import Lineage

/// `list follow-up`: a song gets another rank, it is saved, and the sorted list shows it.
///
/// The unwindowed list has all songs; the windowed one those around the middle, whatever there is.
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

/// Songs in the order of their ranks, brought up to date in one of the compared ways.
@MainActor protocol ShownSongs: AnyObject {
  init(in context: ObjectContext, isWindowed: Bool) throws
  /// What is on screen.
  var songs: [Object<Song>] { get }
  /// Makes a change, saves it, and shows it.
  func follow(_ change: () -> Void) throws
}

/// The windows of the compared ways.
enum SongWindow {
  /// The first song on screen is the first of at least this rank.
  static let start = Song.topRank / 2
  /// Rows at hand.
  static let capacity = 256
  /// Rows on screen.
  static let visible = 32
}

/// Changes of one song after another, the same ones for the same songs.
///
/// The first and the last song stay, so that those between them stay on screen.
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
