import Foundation

/// The files of the suite, in a temporary folder that goes with it.
@MainActor final class Fixtures {
  /// The rows of every run but a quick one, for which the bars are set.
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

  /// A place for a file that does not exist yet.
  func newFile() throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    count += 1
    return folder.appendingPathComponent("\(count).sqlite")
  }

  /// A file with all players as the store writes it; the same one each time, not to be changed.
  func filledFile<Store: PlayerStore>(for _: Store.Type) async throws -> URL {
    if let file = filled[Store.name] { return file }
    let file = try newFile()
    let store = try await Store.open(file)
    try store.insert(roster.players)
    store.close()
    filled[Store.name] = file
    return file
  }

  /// A file with all players that may be changed.
  func copiedFile<Store: PlayerStore>(for type: Store.Type) async throws -> URL {
    let file = try newFile()
    try FileManager.default.copyItem(at: await filledFile(for: type), to: file)
    return file
  }

  /// Gives the file's space back; what SQLite keeps beside it goes too.
  func remove(_ file: URL) {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: file.path + suffix)
    }
  }
}
