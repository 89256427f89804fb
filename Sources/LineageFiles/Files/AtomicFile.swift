package import Foundation

/// A file that appears under its name whole, or not at all.
///
/// It is written next to the old one, as a ``DraftFile``, and takes its place by a rename once it is
/// on disk.
package final class AtomicFile {
  private let target: String
  private let calls: FileCalls
  private let draft: DraftFile

  /// Begins a draft; throws if what has the name is no regular file.
  package init(
    replacing url: URL, _ options: FileOptions = FileOptions(),
    probe: @escaping FileStep.Probe = { _ in 0 }
  ) throws(FileError) {
    guard url.isFileURL else { throw FileError("replace \(url)", .notAFile) }
    let place = options.followsLinks ? url.resolvingSymlinksInPath() : url
    target = place.path(percentEncoded: false)
    calls = FileCalls(probe: probe)
    let mode = try calls.regularFile(at: target, followsLinks: options.followsLinks)
    draft = try DraftFile(of: target, mode: options.mode ?? mode, calls)
  }

  /// Writes bytes at a place, counted from the file's start.
  package func write(_ bytes: Span<UInt8>, at place: Int) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let written = try calls.perform(.write, on: draft.path) {
        SystemCalls.writeBytes(bytes, from: done, to: draft.descriptor, at: place + done)
      }
      guard written > 0 else { throw calls.error(.write, draft.path, EIO) }
      done += written
    }
  }

  /// Makes the file the one with the name, for good.
  ///
  /// - Throws: `unsynced` if the file is in place, but its folder is not known to be on disk.
  package func commit() throws(FileError) {
    try calls.perform(.sync, on: draft.path) { Int(fsync(draft.descriptor)) }
    try draft.rename(to: target)
    let folder = URL(filePath: target).deletingLastPathComponent().path(percentEncoded: false)
    guard calls.result(of: .syncFolder, { Self.sync(folder) }) >= 0 else {
      throw FileError("replace \(target)", .unsynced(errno))
    }
  }

  private static func sync(_ folder: String) -> Int {
    let descriptor = SystemCalls.openFile(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return -1 }
    let result = fsync(descriptor)
    let number = errno
    close(descriptor)
    errno = number
    return Int(result)
  }
}
