import Foundation
import Lineage

/// Files of songs, in a temporary folder that goes with the suite.
@MainActor final class SongFiles {
  let seed: UInt64
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "lineage-living-\(UUID().uuidString)")
  private var filled: [Int: URL] = [:]
  private var count = 0

  init(seed: UInt64) { self.seed = seed }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A place for a file that does not exist yet.
  func newFile() throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    count += 1
    return folder.appending(path: "\(count).sqlite")
  }

  /// A store of its own with so many songs, the same ones each time.
  func store(_ rows: Int) async throws -> SQLiteStore {
    let file = try newFile()
    try FileManager.default.copyItem(at: await filledFile(rows), to: file)
    return try await SQLiteStore.open(at: file, [Song.self])
  }

  /// A file with so many songs that is not open.
  func filledFile(_ rows: Int) async throws -> URL {
    if let file = filled[rows] { return file }
    let file = try newFile()
    let store = try await SQLiteStore.open(at: file, [Song.self])
    let context = store.makeContext()
    for song in Song.all(rows, seed: seed) { try context.insert(song) }
    try context.save()
    store.close()
    filled[rows] = file
    return file
  }

  /// Closes a store and gives its file's space back.
  func remove(_ store: SQLiteStore) {
    store.close()
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: store.url.path + suffix)
    }
  }
}
