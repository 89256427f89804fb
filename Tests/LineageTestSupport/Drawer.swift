package import Foundation

/// A new temporary folder that is deleted when this object is deinitialised.
package final class Drawer: Sendable {
  package let url: URL

  /// The one-time call that raises the limit of open files. Hundreds of tests have their stores
  /// open at once, and a shell usually allows 1,024 files.
  private static let roomForFiles: Void = {
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(files, &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(files, &limit)
  }()

  package init() throws {
    Self.roomForFiles
    url = FileManager.default.temporaryDirectory.appending(path: "lineage-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package func file(_ name: String = "graph") -> URL { url.appending(path: name) }

  /// The names of the files and folders in the folder, sorted.
  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }
}
