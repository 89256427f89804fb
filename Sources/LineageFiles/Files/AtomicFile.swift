package import Foundation

/// A file that gets its name only when it is complete.
///
/// The new file is first written as a ``DraftFile`` in the folder of the old file. Once it is on
/// the disk, it gets the old file's name, and so replaces the old file.
package final class AtomicFile {
  private let target: String
  private let calls: FileCalls
  private let draft: DraftFile

  /// Creates the unfinished file. Throws if the URL leads to anything else than a regular file.
  package init(
    replacing url: URL, _ options: FileOptions = FileOptions(),
    probe: @escaping FileStep.Probe = { _ in 0 }
  ) throws(FileError) {
    guard url.isFileURL else { throw FileError("replace \(url)", .notAFile) }
    let place = options.followsLinks ? url.resolvingSymlinksInPath() : url
    target = place.path(percentEncoded: false)
    calls = FileCalls(probe: probe)
    let old = try calls.status(of: target, followsLinks: options.followsLinks)
    var mode = options.mode
    if let old, !old.isLink {
      guard old.isRegular else { throw FileError("replace \(target)", .notRegularFile) }
      mode = mode ?? old.st_mode & 0o7777
    }
    draft = try DraftFile(of: target, mode: mode, calls)
  }

  /// Writes bytes at an offset from the file's start.
  package func write(_ bytes: Span<UInt8>, at place: Int) throws(FileError) {
    try draft.write(bytes, at: place)
  }

  /// Gives the file its final name. If `syncs` is true, waits before and afterwards until all is on
  /// the disk. Otherwise, a power cut may leave damaged bytes under the final name.
  ///
  /// - Throws: `unsynced` if the file has its final name, but this change of the folder may not be
  ///   on the disk.
  package func commit(syncs: Bool = true) throws(FileError) {
    if syncs {
      try calls.perform(.sync, on: draft.path) { Int(SystemCalls.syncFile(draft.descriptor)) }
    }
    try draft.rename(to: target)
    guard syncs else { return }
    let folder = URL(filePath: target).deletingLastPathComponent().path(percentEncoded: false)
    guard calls.result(of: .syncFolder, { Self.sync(folder) }) >= 0 else {
      throw FileError("replace \(target)", .unsynced(errno))
    }
  }

  /// Writes a folder to the disk. Returns a negative number, with `errno` set, if this fails.
  static func sync(_ folder: String) -> Int {
    let descriptor = SystemCalls.openFile(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return -1 }
    let result = SystemCalls.syncFile(descriptor)
    let number = errno
    close(descriptor)
    errno = number
    return Int(result)
  }
}
