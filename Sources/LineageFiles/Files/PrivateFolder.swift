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
    try make(url.standardizedFileURL)
    guard let status = SystemCalls.fileStatus(at: path), status.isFolder else {
      throw calls.error(.makeFolder, path, ENOTDIR)
    }
  }

  /// Makes a folder, unless its name is taken. If `makesAbove` is true, first makes the missing
  /// folders above it.
  private func make(_ folder: URL, makesAbove: Bool = true) throws(FileError) {
    let path = folder.path(percentEncoded: false)
    let above = folder.deletingLastPathComponent()
    if calls.result(of: .makeFolder, { SystemCalls.makeFolder(path) ? 0 : -1 }) >= 0 {
      // The new folder can be used even if its name cannot be brought to the disk, for example
      // because the folder above is not readable.
      _ = calls.result(of: .syncFolder) { AtomicFile.sync(above.path(percentEncoded: false)) }
    } else if errno == ENOENT, makesAbove, above != folder {
      try make(above)
      try make(folder, makesAbove: false)
    } else if errno != EEXIST, errno != EISDIR {
      throw calls.error(.makeFolder, path, errno)
    }
  }

  /// Returns the kind of the entry with a name; nil if there is no such entry.
  package func entry(_ name: String) throws(FileError) -> EntryKind? {
    guard let status = try calls.status(of: path(name)) else { return nil }
    if status.isRegular { return .file(bytes: Int(max(status.st_size, 0))) }
    return status.isFolder ? .folder : .other
  }

  /// Returns the first bytes of a file; nil if there is no file.
  package func bytes(of name: String, first count: Int = .max) throws(FileError) -> [UInt8]? {
    guard let file = try InputFile(file(name), followsLinks: false, probe: calls.probe) else {
      return nil
    }
    return try file.bytes(first: count)
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
      guard errno == EISDIR || errno == EPERM else { return -1 }
      do {
        try FileManager.default.removeItem(at: file(name))
        return 0
      } catch {
        let reason = (error as? CocoaError)?.underlying as? POSIXError
        errno = reason?.code.rawValue ?? EIO
        return -1
      }
    }
    guard isRemoved >= 0 else { throw calls.error(.remove, path(name), errno) }
  }

  /// Writes bytes over a file's old bytes, and waits until they are on the disk. The file system need
  /// not find room for another file.
  ///
  /// If the file must become longer, the bytes behind its old end are written first. So if there is
  /// no room for them, the file stays as it was. If the process is killed meanwhile, the file is
  /// damaged.
  package func overwrite(_ name: String, with bytes: [UInt8]) throws(FileError) {
    let file = try OpenFile(path(name), O_RDWR | O_NOFOLLOW, calls)
    // Another name of the file may belong to somebody else.
    guard file.status.st_nlink == 1 else { throw FileError("overwrite \(name)", .notRegularFile) }
    let old = file.length
    do throws(FileError) {
      if bytes.count > old { try file.write(bytes.span.extracting(old...), at: old, calls) }
    } catch {
      ftruncate(file.descriptor, off_t(old))
      throw error
    }
    let rest = [UInt8](repeating: 0, count: max(old - bytes.count, 0))
    try file.write((bytes + rest).span, at: 0, calls)
    ftruncate(file.descriptor, off_t(bytes.count))
    try calls.perform(.sync, on: path(name)) { Int(SystemCalls.syncFile(file.descriptor)) }
  }

  /// Waits until the folder, and so each file's name in it, is on the disk.
  package func sync() throws(FileError) {
    try calls.perform(.syncFolder, on: path) { AtomicFile.sync(path) }
  }
}
