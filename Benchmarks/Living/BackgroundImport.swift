import Lineage

/// The `background import` case: songs are inserted and saved, 5,000 at a time. The measured time
/// ends when a list in a tree shows the songs.
@MainActor struct BackgroundImport {
  static func cases(_ files: SongFiles) -> [BenchmarkCase] {
    // The larger size is measured only with full effort. The samples of its two subjects would take
    // longer than the 90 seconds of a default run.
    [(10_000, Effort.quick), (100_000, .full)].map { rows, effort in
      let songs = BackgroundImport(songs: Song.inRuns(rows), files: files)
      return BenchmarkCase(
        suite: .living, name: "background import", parameters: [Parameter("rows", rows)],
        unit: .milliseconds, effort: effort, baseline: "foreground import",
        subjects: [
          Subject(name: "foreground import") { songs.trial { try await songs.foreground($0) } },
          Subject(name: "Lineage") { songs.trial { try await songs.background($0) } },
        ],
        bars: [
          .ratio(of: "Lineage", to: "foreground import", atMost: 1.2),
          .p99(of: "isolation held", by: "Lineage", atMost: 5),
        ])
    }
  }

  let songs: [Song]
  let files: SongFiles

  private nonisolated func foreground(_ host: TreeHost) async throws {
    try await host.foreground { try Self.insert(songs, into: $0) }
  }

  private nonisolated func background(_ host: TreeHost) async throws {
    try await host.store.background { context, progress in
      try Self.insert(songs, into: context) { try progress.report($0, of: songs.count) }
    }
  }

  private nonisolated static func insert(
    _ songs: [Song], into context: ObjectContext, _ report: (Int) throws -> Void = { _ in }
  ) throws {
    for start in stride(from: 0, to: songs.count, by: batch) {
      for song in songs[start..<min(start + batch, songs.count)] { try context.insert(song) }
      try context.save()
      try report(start)
    }
  }

  private nonisolated static let batch = 5000

  private func trial(_ importSongs: @escaping (TreeHost) async throws -> Void) -> Trial {
    let shown = songs.count { $0.rank > TreeHost.lowestShown }
    let held = HeldTimes()
    return Trial(
      answer: {
        try await withHost { host in
          try await importSongs(host)
          await host.untilShown(shown)
          return await host.answer
        }
      },
      sample: { iterations in
        var total = 0.0
        for _ in 0..<iterations {
          total += try await withHost { host in
            _ = host.clock.take()
            let start = ContinuousClock.now
            try await importSongs(host)
            await host.untilShown(shown)
            let time = Stopwatch.nanoseconds(since: start)
            held.times += host.clock.take()
            return time
          }
        }
        return total
      },
      besides: { [Besides("isolation held", .microseconds, held.times)] })
  }

  /// Runs a closure with a running tree on an empty store. Afterwards the tree has ended, and the
  /// store's files are removed.
  private func withHost<Result: Sendable>(
    _ body: (TreeHost) async throws -> Result
  ) async throws -> Result {
    let host = TreeHost(store: try await SQLiteStore.open(at: files.newFile(), [Song.self]))
    try await host.show()
    let running = Task { await host.run() }
    let result = try await body(host)
    await host.end()
    await running.value
    files.remove(host.store)
    return result
  }
}
