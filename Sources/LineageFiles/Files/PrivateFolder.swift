package import Foundation

/// A folder for files of one owner. Its functions list, rename and remove files without following
/// links.
package struct PrivateFolder {
  /// The location of the folder.
  package let url: URL
  private let calls: FileCalls
  private let path: String

  package init(_ url: URL, probe: @escaping FileStep.Probe = { _ in 0 }) {
    self.url = url
    calls = FileCalls(probe: probe)
    path = url.path(percentEncoded: false)
  }

  /// The kind of an entry in a folder.
  package enum EntryKind: Equatable, Sendable {
    case file(bytes: Int)
    case folder
    /// A link, a FIFO, a socket or a device.
    case other
  }

  /// Returns the location of a file in the folder.
  package func file(_ name: String) -> URL { url.appending(path: name) }

  private func path(_ name: String) -> String { file(name).path(percentEncoded: false) }

  /// Makes the folder, and the missing folders above it. Only the owner can use a new folder. The
  /// name of each new folder is on the disk when the function returns.
  package func make() throws(FileError) {
    var missing: [String] = []
    var next = url.standardizedFileURL
    while true {
      let path = next.path(percentEncoded: false)
      if makeFolder(path) { break }
      let number = errno
      // Another process may have made the same folder meanwhile.
      if number == EEXIST || number == EISDIR { break }
      let above = next.deletingLastPathComponent()
      guard number == ENOENT, above != next, missing.count < 100 else {
        throw calls.error(.makeFolder, path, number)
      }
      missing.append(path)
      next = above
    }
    for path in missing.reversed() {
      guard !makeFolder(path), errno != EEXIST else { continue }
      throw calls.error(.makeFolder, path, errno)
    }
    guard let status = SystemCalls.fileStatus(at: path), status.isFolder else {
      throw calls.error(.makeFolder, path, ENOTDIR)
    }
  }

  /// Makes a folder, and tries to write the folder above to the disk, which contains the new name.
  /// Returns whether the folder was made.
  private func makeFolder(_ path: String) -> Bool {
    guard calls.result(of: .makeFolder, { SystemCalls.makeFolder(path) ? 0 : -1 }) >= 0 else {
      return false
    }
    let above = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
    // The folder can be used even if this fails, for example because the folder above is not
    // readable.
    _ = calls.result(of: .syncFolder) { AtomicFile.sync(above) }
    return true
  }

  /// Returns the kind of the entry with a name; nil if there is no such entry.
  package func entry(_ name: String) throws(FileError) -> EntryKind? {
    guard let status = try calls.status(of: path(name)) else { return nil }
    if status.isRegular { return .file(bytes: Int(max(status.st_size, 0))) }
    return status.isFolder ? .folder : .other
  }

  /// Returns all names in the folder, sorted.
  package func names() throws(FileError) -> [String] {
    try calls.perform(.list, on: path) { 0 }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      throw calls.error(.list, path, EIO)
    }
  }

  /// Renames a file or another entry of the folder. A file that has the new name is replaced.
  package func move(_ name: String, to other: String) throws(FileError) {
    try calls.perform(.move, on: path(name)) {
      SystemCalls.renameFile(path(name), to: path(other)) ? 0 : -1
    }
  }

  /// Removes the file with a name, or the folder with all that is in it. Does nothing if there is
  /// no such entry.
  package func remove(_ name: String) throws(FileError) {
    let isRemoved = calls.result(of: .remove) {
      if SystemCalls.unlinkFile(path(name)) || errno == ENOENT { return 0 }
      return errno == EISDIR || errno == EPERM ? FolderRemoval.remove(path(name)) : -1
    }
    guard isRemoved >= 0 else { throw calls.error(.remove, path(name), errno) }
  }

  /// Waits until the folder, and so each file's name in it, is on the disk.
  package func sync() throws(FileError) {
    try calls.perform(.syncFolder, on: path) { AtomicFile.sync(path) }
  }
}
