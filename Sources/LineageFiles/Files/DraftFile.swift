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
/// If the draft's name belongs to another user's draft or to something else, such as a symbolic
/// link, a save does not wait. It uses the next free name for its own draft, from `.name.saving1`
/// to `.name.saving7`.
final class DraftFile {
  let descriptor: Int32
  let path: String
  private let mode: mode_t?
  private let calls: FileCalls
  private var hasName = true

  private static let names = 8

  /// Creates an empty draft for the path `target`. The mode is that of the file to replace; nil if
  /// there is no such file.
  init(of target: String, mode: mode_t?, _ calls: FileCalls) throws(FileError) {
    self.calls = calls
    self.mode = mode
    let place = URL(filePath: target)
    let folder = place.deletingLastPathComponent()
    let names = (0..<Self.names).map { number in
      folder.appending(path: ".\(place.lastPathComponent).saving\(number == 0 ? "" : "\(number)")")
        .path(percentEncoded: false)
    }
    // A draft that replaces a file gets the mode of that file only when it is renamed. Until then
    // only its owner can open it.
    let number: Int
    (descriptor, number) = try Self.create(names, mode == nil ? 0o666 : 0o600, calls)
    path = names[number]
    if number > 0 { removeObstacle(names[number - 1]) }
    // An unlocked draft with one of the other names was left by a killed process.
    for other in names.indices where other != number {
      _ = try? Self.removeDraft(names[other], waits: false, calls)
    }
  }

  deinit {
    if hasName, (try? Self.isLocked(descriptor, at: path, calls)) ?? false {
      SystemCalls.unlinkFile(path)
    }
    close(descriptor)
  }

  /// Gives the draft its final name and mode. A file that has this name is replaced.
  func rename(to target: String) throws(FileError) {
    guard try Self.isLocked(descriptor, at: path, calls) else {
      throw calls.error(.rename, path, ENOENT)
    }
    if let mode { _ = fchmod(descriptor, mode) }
    try calls.perform(.rename, on: path) { SystemCalls.renameFile(path, to: target) ? 0 : -1 }
    hasName = false
  }

  /// Creates and locks a new file. Its name is the first that is free, or that becomes free when an
  /// abandoned draft is removed.
  private static func create(
    _ names: [String], _ mode: mode_t, _ calls: FileCalls
  ) throws(FileError) -> (descriptor: Int32, number: Int) {
    var number = 0
    while number < names.count {
      let path = names[number]
      let descriptor = Int32(
        calls.result(of: .create) {
          Int(
            SystemCalls.openFile(
              path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode: mode))
        })
      if descriptor >= 0 {
        if try take(descriptor, at: path, calls) { return (descriptor, number) }
        // Another save found the file before it was locked, considered it an abandoned draft and
        // removed it.
        close(descriptor)
      } else if errno != EEXIST {
        throw calls.error(.create, path, errno)
      } else if try !removeDraft(path, waits: true, calls) {
        number += 1
      }
    }
    throw calls.error(.create, names[0], EEXIST)
  }

  /// Locks a file. If this fails, closes the file.
  ///
  /// - Returns: whether the file still has its name.
  private static func take(
    _ descriptor: Int32, at path: String, _ calls: FileCalls
  ) throws(FileError) -> Bool {
    do {
      try calls.perform(.create, on: path) { Int(flock(descriptor, LOCK_EX)) }
      return try isLocked(descriptor, at: path, calls)
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Returns whether the locked file still has its name.
  private static func isLocked(
    _ descriptor: Int32, at path: String, _ calls: FileCalls
  ) throws(FileError) -> Bool {
    let mine = try calls.status(of: descriptor, at: path)
    return try calls.status(of: path)?.isSame(as: mine) ?? false
  }

  /// Removes a draft that a killed process has left. If `waits` is true and a save of this user has
  /// locked the draft, first waits for the end of that save.
  ///
  /// A file is removed only if this call has locked it and it still has the name. So the draft of a
  /// running save is never removed.
  ///
  /// - Returns: whether the name is free now. It is not free if it belongs to something other than
  ///   a draft, or to a draft that could not be locked.
  private static func removeDraft(
    _ path: String, waits: Bool, _ calls: FileCalls
  ) throws(FileError) -> Bool {
    guard let status = try calls.status(of: path) else { return true }
    guard status.isRegular else { return false }
    let descriptor = Int32(
      calls.result(of: .create) {
        Int(SystemCalls.openFile(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
      })
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return true
      case ELOOP, EISDIR, ENXIO, EACCES: return false
      default: throw calls.error(.create, path, errno)
      }
    }
    defer { close(descriptor) }
    let opened = try calls.status(of: descriptor, at: path)
    guard opened.isSame(as: status) else { return true }
    if waits, status.st_uid == geteuid() {
      try calls.perform(.create, on: path) { Int(flock(descriptor, LOCK_EX)) }
    } else if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      return false
    }
    guard try isLocked(descriptor, at: path, calls) else { return true }
    return SystemCalls.unlinkFile(path)
  }

  /// Removes a link, FIFO, socket or device that has a draft's name. A regular file, which may be a
  /// draft, and a folder are not removed.
  ///
  /// A save calls this function with the name that precedes its own draft's name. The preceding
  /// name was not free when the save made its draft.
  private func removeObstacle(_ path: String) {
    guard let status = SystemCalls.linkStatus(at: path), !status.isRegular,
      !status.isFolder
    else { return }
    SystemCalls.unlinkFile(path)
  }
}
