import Lineage

/// The `first page` case: a list of all songs is made in a tree. The measured time ends when it shows
/// a screen of songs.
///
/// The baseline reads the whole list on the tree. Lineage loads it elsewhere. In one sample of five,
/// the rest is loaded too, to measure how long the isolation of the tree is held by it.
@MainActor struct FirstPage {
  static func cases(_ files: SongFiles) -> [BenchmarkCase] {
    [(1000, Effort.quick), (100_000, .standard)].map { rows, effort in
      let page = FirstPage(rows: rows, files: files)
      return BenchmarkCase(
        suite: .living, name: "first page", parameters: [Parameter("rows", rows)],
        unit: .milliseconds, effort: effort, baseline: "whole list",
        subjects: [
          Subject(name: "whole list") { try await page.trial(.atOnce) },
          Subject(name: "Lineage") { try await page.trial(.elsewhere) },
        ],
        bars: rows < 100_000
          ? []
          : [
            .ratio(of: "Lineage", to: "whole list", atMost: 1 / 50),
            .p99(of: held, by: "Lineage", atMost: 5),
          ])
    }
  }

  private static let held = "isolation held by loading"

  let rows: Int
  let files: SongFiles

  private func trial(_ loading: ListLoading) async throws -> Trial {
    let store = try await files.store(rows)
    let held = HeldTimes()
    var samples = 0
    return Trial(
      answer: {
        try await Self.withHost(store) { host in
          _ = try await host.show(loading)
          await host.untilComplete()
          return await host.answer
        }
      },
      sample: { iterations in
        var total = 0.0
        samples += 1
        for _ in 0..<iterations {
          total += try await Self.withHost(store) { host in
            let time = try await host.show(loading)
            guard loading == .elsewhere, samples % 5 == 1 else { return time }
            await host.untilComplete()
            held.times += host.clock.take()
            return time
          }
        }
        return total
      },
      besides: {
        loading == .elsewhere ? [Besides(Self.held, .microseconds, held.times)] : []
      })
  }

  /// Runs a closure with a running tree on a store. Afterwards the tree has ended.
  private static func withHost<Result: Sendable>(
    _ store: SQLiteStore, _ body: (LoadingHost) async throws -> Result
  ) async throws -> Result {
    let host = LoadingHost(store: store)
    let running = Task { await host.run() }
    let result = try await body(host)
    await host.end()
    await running.value
    return result
  }
}
