import Foundation
import LineageTestSupport

/// A new temporary folder, which is deleted when this object is released.
final class TestFolder: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(
    path: "lineage-\(UUID().uuidString)", directoryHint: .isDirectory)

  /// The one-time call that raises the limit of open files. Hundreds of tests have their stores
  /// open at once, and a shell usually allows 1,024 files.
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

  /// The names of all files in the folder, sorted.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }

  /// Runs SQL on the file in a process without a store, and returns the output.
  @discardableResult
  func sqlite3(_ sql: String) throws -> String {
    try ChildProcess.run(OtherProcess.probe.path, ["sql", file.path, sql]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
