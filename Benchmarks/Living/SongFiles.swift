import Foundation
import Lineage

/// The files of the living suite, in a temporary folder that `deinit` removes.
@MainActor final class SongFiles {
  let seed: UInt64
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "lineage-living-\(UUID().uuidString)")
  private var filled: [Int: URL] = [:]
  private var count = 0

  init(seed: UInt64) { self.seed = seed }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Returns a URL in the folder at which no file exists yet.
  func newFile() throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    count += 1
    return folder.appending(path: "\(count).sqlite")
  }

  /// Returns a store on a new file with the given number of songs. Each call gives equal songs.
  func store(_ rows: Int) async throws -> SQLiteStore {
    let file = try newFile()
    try FileManager.default.copyItem(at: await filledFile(rows), to: file)
    return try await SQLiteStore.open(at: file, [Song.self])
  }

  /// Returns a file with the given number of songs. No store has this file open.
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

  /// Closes a store and removes its files, to free their space.
  func remove(_ store: SQLiteStore) {
    store.close()
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: store.url.path + suffix)
    }
  }
}
