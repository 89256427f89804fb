import Foundation

/// The files of the store suite, in a temporary folder that `deinit` removes.
@MainActor final class Fixtures {
  /// The number of rows in all runs except quick ones. The bars apply only to this number of rows.
  static let allRows = 100_000

  let rows: Int
  var hasAllRows: Bool { rows == Self.allRows }
  private(set) lazy var roster = Roster(rows: rows, seed: seed)
  private let seed: UInt64
  private let folder: URL
  private var filled: [String: URL] = [:]
  private var count = 0

  init(rows: Int, seed: UInt64) {
    (self.rows, self.seed) = (rows, seed)
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("lineage-benchmarks-\(UUID().uuidString)")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Returns a URL in the folder at which no file exists yet.
  func newFile() throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    count += 1
    return folder.appendingPathComponent("\(count).sqlite")
  }

  /// Returns a file with all players, which a store of the given type has written. Each call
  /// returns the same file, so the file must not be changed.
  func filledFile<Store: PlayerStore>(for _: Store.Type) async throws -> URL {
    if let file = filled[Store.name] { return file }
    let file = try newFile()
    let store = try await Store.open(file)
    try store.insert(roster.players)
    store.close()
    filled[Store.name] = file
    return file
  }

  /// Returns a new copy of the file with all players. The copy may be changed.
  func copiedFile<Store: PlayerStore>(for type: Store.Type) async throws -> URL {
    let file = try newFile()
    try FileManager.default.copyItem(at: await filledFile(for: type), to: file)
    return file
  }

  /// Removes the file and the files that SQLite keeps beside it, to free their space.
  func remove(_ file: URL) {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: file.path + suffix)
    }
  }
}
