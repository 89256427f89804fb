import Foundation
import Lineage

/// The `open and deliver` case: an existing file is opened and its root context reaches a leaf.
@MainActor struct OpenAndDeliver {
  static func cases(_ files: SongFiles) -> [BenchmarkCase] {
    [
      BenchmarkCase(
        suite: .living, name: "open and deliver",
        parameters: [Parameter("rows", rows), Parameter("depth", depth)], unit: .milliseconds,
        effort: .quick, baseline: "open and hand down",
        subjects: [Subject(name: "open and hand down") { try await handed(files) }]
          + Library.strategies.map { name, strategy in
            Subject(name: name) { try await delivered(files, strategy) }
          })
    ]
  }

  private static let rows = 1000
  private static let depth = 8

  /// Returns a trial that opens the store by `await`, and passes its context down a path of
  /// controllers by hand.
  private static func handed(_ files: SongFiles) async throws -> Trial {
    try await trial(files) { file in
      let path = (0...depth).map { _ in Handed() }
      for (parent, child) in zip(path, path.dropFirst()) { parent.child = child }
      path[0].context = try await SQLiteStore.open(at: file, [Song.self]).makeContext()
      return path[depth].context
    }
  }

  private static func delivered(_ files: SongFiles, _ strategy: Strategy) async throws -> Trial {
    try await trial(files) { file in
      let application = Application(strategy: strategy)
      var leaf: Responder = application
      for _ in 0..<depth {
        let child = Controller()
        try leaf.append(child)
        leaf = child
      }
      application.openStore(at: file, [Song.self])
      return try await leaf.context(whenReady: ObjectContext.self)
    }
  }

  private static func trial(
    _ files: SongFiles, _ start: @escaping @MainActor (URL) async throws -> ObjectContext?
  ) async throws -> Trial {
    let file = try await files.filledFile(rows)
    return Trial(
      answer: {
        let context = try await start(file)
        return ["songs": try context?.count(Song.self) ?? -1]
      },
      sample: { iterations in
        var total = 0.0
        for _ in 0..<iterations {
          let began = ContinuousClock.now
          let context = try await start(file)
          total += Stopwatch.nanoseconds(since: began)
          // The context is released here, after the time was taken. The file is closed by whoever is
          // last to release the store, which may be the thread that has opened it. Without the pause,
          // the next iteration found it open, or had to wait.
          withExtendedLifetime(context) {}
          try await Task.sleep(for: .milliseconds(2))
        }
        return total
      })
  }
}

/// A controller written by hand. Its parent sets its context.
private final class Handed {
  var child: Handed?
  var context: ObjectContext? { didSet { child?.context = context } }
}
