import Foundation
import LineageTestSupport

/// A fresh folder, gone with the test.
final class TestFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(
    path: "lineage-\(UUID().uuidString)", directoryHint: .isDirectory)

  /// Hundreds of tests have their stores open at once, and a shell usually allows 1,024 files.
  private static let roomForFiles: Void = {
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(files, &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(files, &limit)
  }()

  init() throws {
    Self.roomForFiles
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  var file: URL { url.appending(path: "test.store") }

  /// The names of all files, sorted.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }

  /// Runs SQL as somebody else would, in a process that knows nothing of stores.
  @discardableResult
  func sqlite3(_ sql: String) throws -> String {
    try ChildProcess.run(OtherProcess.probe.path, ["sql", file.path, sql]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
