import Foundation

/// The place of a store: a file, or a schema of a server.
protocol StorePlace: Sendable {
  /// Returns a place at which there is no store yet. Places of one run have different numbers.
  static func unused(_ number: Int, in folder: URL) throws -> Self

  /// Copies the store at this place to an unused place.
  func copy(to other: Self) async throws
  /// Prepares a store for measurements, after its players were inserted.
  func settle() throws
  /// Removes the store, to free its space.
  func remove()
}

/// A file of SQLite, which has other files beside it.
extension URL: StorePlace {
  static func unused(_ number: Int, in folder: URL) throws -> URL {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appendingPathComponent("\(number).sqlite")
  }

  func copy(to other: URL) async throws {
    try FileManager.default.copyItem(at: self, to: other)
  }

  func settle() {}

  func remove() {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }
}
