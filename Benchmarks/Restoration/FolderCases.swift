import Foundation
import Lineage

/// The cases `open archive` and `append`, in which the archive of many screens is in a folder.
@MainActor struct FolderCases {
  let responders: Int
  let seed: UInt64
  private let files: StateFiles

  init(responders: Int, seed: UInt64) {
    self.responders = responders
    self.seed = seed
    files = StateFiles()
  }

  var all: [BenchmarkCase] { [openArchive.leftOutByDefault(), append] }

  private var states: [ScreenState] { ScreenState.states(responders, seed: seed) }

  private func makeCase(
    _ name: String, baseline: String, _ subjects: [Subject], _ bars: [Bar]
  ) -> BenchmarkCase {
    BenchmarkCase(
      suite: .restoration, name: name, parameters: [Parameter("responders", responders)],
      unit: .milliseconds, effort: .quick, baseline: baseline, subjects: subjects, bars: bars)
  }

  /// Returns a tree of screens, whose archive was saved in the folder.
  private func tree(in folder: StateFolder) throws -> ScreenTree<MethodScreen> {
    let restoration = Restoration(in: folder, clock: ImmediateSaveClock()) {
      ScreenTree<MethodScreen>.parts
    }
    let tree = try ScreenTree<MethodScreen>(states, restoration)
    try restoration.save()
    return tree
  }

  /// The `open archive` case: an archive is read from its file and checked, and the restoration is
  /// planned, as when a program starts. The baseline also reads its JSON from a file.
  private var openArchive: BenchmarkCase {
    let decoded = Subject(name: "JSONDecoder") {
      let file = try files.newFile()
      try JSONEncoder().encode(states).write(to: file)
      func read() throws -> [ScreenState] {
        try JSONDecoder().decode([ScreenState].self, from: Data(contentsOf: file))
      }
      return Trial(
        answer: { ["records": try read().count] },
        sample: { try Stopwatch.nanoseconds($0) { () -> [ScreenState] in try read() } })
    }
    let opened = Subject(name: "methods") {
      let folder = StateFolder.at(try files.newFile())
      // The tree is released here, and this releases the lock of the folder.
      _ = try tree(in: folder)
      let restoration = ScreenTree<MethodScreen>.makeRestoration()
      func open() -> Int {
        let loaded = FolderFiles(folder).load(restoration.limits)
        return loaded.newest?.tree.findings.records ?? 0
      }
      return Trial(
        // One record, which is not counted, is that of the application.
        answer: { ["records": open() - 1] },
        sample: {
          Stopwatch.nanoseconds($0) { () -> Any? in
            let loaded = FolderFiles(folder).load(restoration.limits)
            return loaded.newest.map { restoration.plan(for: $0) }
          }
        })
    }
    return makeCase(
      "open archive", baseline: "JSONDecoder", [decoded, opened],
      [.ratio(of: "methods", to: "JSONDecoder", atMost: 1 / 25)])
  }

  /// The `append` case: one screen in a hundred is saved. In the baseline, all screens are saved.
  /// The other records are copied, and the archive is written without waiting for the disk.
  private var append: BenchmarkCase {
    func subject(_ name: String, isAll: Bool) -> Subject {
      Subject(name: name) {
        let folder = StateFolder.at(try files.newFile())
        let tree = try tree(in: folder)
        var first = 0
        return Trial(
          answer: { ["screens": tree.states.count] },
          sample: { iterations in
            try Stopwatch.nanoseconds(
              iterations,
              before: {
                guard !isAll else { return tree.touch() }
                first = (first + 1) % 100
                for number in stride(from: first, to: tree.screens.count, by: 100) {
                  tree.screens[number].change()
                }
              },
              {
                guard !isAll else { return try tree.restoration.save() }
                // At the first change, the clock posted a letter, which saves when it is applied.
                tree.application.drain()
                tree.restoration.finishWriting()
              })
          })
      }
    }
    return makeCase(
      "append", baseline: "all",
      [subject("all", isAll: true), subject("methods", isAll: false)],
      [])
  }
}

/// A clock that never waits, so that changes are saved without a delay.
private struct ImmediateSaveClock: SaveClock {
  var now: Date { Date(timeIntervalSinceReferenceDate: 700_000_000) }

  func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) { body() }
}

/// The files and folders that the cases use, in a temporary folder that `deinit` removes.
@MainActor private final class StateFiles {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "lineage-state-\(UUID().uuidString)")
  private var count = 0

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Returns a URL in the folder at which no file exists yet.
  func newFile() throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    count += 1
    return folder.appending(path: "\(count)")
  }
}
