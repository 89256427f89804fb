import Foundation

/// A file that is being written beside the file that it will replace.
///
/// The draft's name is `.name.saving`. The save that makes the draft keeps it locked until it
/// renames or removes the draft. A second save of the file waits for this lock. If the draft still
/// has its name after that, a killed process has left the draft, and the second save removes it. A
/// save never writes to an existing file.
///
/// The lock shows whether the process that made the draft still runs, because the system releases
/// the lock when the process is killed. A process number was rejected, because another process may
/// have the same number, perhaps in another container. A lock on the folder was rejected, because
/// NFS refuses it and saves of other files would wait for it.
///
/// A save does not wait for another user's draft, but throws an error. A link, FIFO, socket or
/// device that has the draft's name is removed. A folder with this name leads to an error.
final class DraftFile {
  private let file: OpenFile
  private let mode: mode_t?
  private let calls: FileCalls
  private var isRenamed = false

  /// Creates an empty draft for the path `target`. The mode is that of the file to replace; nil if
  /// there is no such file.
  init(of target: String, mode: mode_t?, _ calls: FileCalls) throws(FileError) {
    let place = URL(filePath: target)
    let path = place.deletingLastPathComponent()
      .appending(path: ".\(place.lastPathComponent).saving").path(percentEncoded: false)
    // A draft that replaces a file gets the mode of that file only when it is renamed. Until then
    // only its owner can open it.
    file = try Self.create(path, mode == nil ? 0o666 : 0o600, calls)
    self.calls = calls
    self.mode = mode
  }

  deinit {
    if !isRenamed, file.hasName { SystemCalls.unlinkFile(file.path) }
  }

  var descriptor: Int32 { file.descriptor }
  var path: String { file.path }

  /// Writes bytes at an offset from the file's start.
  func write(_ bytes: Span<UInt8>, at place: Int) throws(FileError) {
    try file.write(bytes, at: place, as: .write, calls)
  }

  /// Gives the draft its final name and mode. A file that has this name is replaced.
  func rename(to target: String) throws(FileError) {
    guard file.hasName else { throw calls.error(.rename, path, ENOENT) }
    if let mode { _ = fchmod(descriptor, mode) }
    try calls.perform(.rename, on: path) { SystemCalls.renameFile(path, to: target) ? 0 : -1 }
    isRenamed = true
  }

  /// Creates and locks a new file.
  private static func create(
    _ path: String, _ mode: mode_t, _ calls: FileCalls
  ) throws(FileError) -> OpenFile {
    while true {
      do throws(FileError) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        let file = try OpenFile(path, flags, mode: mode, step: .create, calls)
        try calls.perform(.create, on: path) { Int(flock(file.descriptor, LOCK_EX)) }
        // Another save may have found the file before it was locked, and have removed it.
        if file.hasName { return file }
      } catch {
        guard error.reason == .system(EEXIST) else { throw error }
        try clear(path, calls)
      }
    }
  }

  /// Removes what has the name of a draft, unless it is a folder. If it is a draft of this user,
  /// first waits for the save that has locked it.
  ///
  /// A regular file is removed only if this call has locked it and it still has the name. So the
  /// draft of a running save is never removed.
  private static func clear(_ path: String, _ calls: FileCalls) throws(FileError) {
    do throws(FileError) {
      let left = try OpenFile(path, O_RDWR | O_NOFOLLOW, step: .create, calls)
      let isOwn = left.status.st_uid == geteuid()
      try calls.perform(.create, on: path) {
        Int(flock(left.descriptor, isOwn ? LOCK_EX : LOCK_EX | LOCK_NB))
      }
      guard left.hasName, !SystemCalls.unlinkFile(path) else { return }
      throw calls.error(.create, path, errno)
    } catch {
      if error.reason == .system(ENOENT) { return }
      guard error.reason == .notRegularFile, SystemCalls.unlinkFile(path) else { throw error }
    }
  }
}
