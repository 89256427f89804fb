package import Foundation

/// A new temporary folder that is deleted when this object is deinitialised.
package final class Drawer {
  package let url: URL

  package init() throws {
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
