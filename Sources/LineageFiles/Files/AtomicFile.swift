package import Foundation

/// A file that gets its name only when it is complete.
///
/// The new file is first written as a draft in the folder of the old file. Once it is on the disk,
/// it gets the old file's name, and so replaces the old file.
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
package final class AtomicFile {
  private let target: String
  private let calls: FileCalls
  private let draft: OpenFile
  /// The mode of the finished file; nil if there is no file to replace and no mode was given.
  private let mode: mode_t?
  private var isRenamed = false

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
    if let old, !old.isRegular, !old.isLink {
      throw FileError("replace \(target)", .notRegularFile)
    }
    mode = options.mode ?? old.flatMap { $0.isRegular ? $0.st_mode & 0o7777 : nil }
    let path = place.deletingLastPathComponent()
      .appending(path: ".\(place.lastPathComponent).saving").path(percentEncoded: false)
    // A draft that replaces a file gets the mode of that file only when it is renamed. Until then
    // only its owner can open it.
    draft = try Self.create(path, mode == nil ? 0o666 : 0o600, calls)
  }

  deinit {
    if !isRenamed, draft.hasName { SystemCalls.unlinkFile(draft.path) }
  }

  /// Writes bytes at an offset from the file's start.
  package func write(_ bytes: Span<UInt8>, at place: Int) throws(FileError) {
    try draft.write(bytes, at: place, calls)
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
    guard draft.hasName else { throw calls.error(.rename, draft.path, ENOENT) }
    if let mode { _ = fchmod(draft.descriptor, mode) }
    try calls.perform(.rename, on: draft.path) {
      SystemCalls.renameFile(draft.path, to: target) ? 0 : -1
    }
    isRenamed = true
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
