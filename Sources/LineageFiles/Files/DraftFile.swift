import Foundation

/// A file that is being written beside the file that it will replace.
///
/// The draft's name is `.name.saving`. The save that makes the draft keeps it locked until the
/// draft is renamed or removed. A second save waits for the lock. If that save then finds the draft
/// under its name, a killed process has left the draft, and the save removes it. No existing file
/// is ever written to.
///
/// The lock tells whether the process that made the draft lives, because the system releases the
/// lock when that process is killed. A process number would not tell, because another process, or
/// one in another container, may have the same number. A lock on the folder would not do, because
/// NFS refuses it and other archives would wait for it.
///
/// A save does not wait for another user's draft, nor for anything else with a draft's name, such
/// as a symbolic link. It uses the next name for its own draft, from `.name.saving1` to
/// `.name.saving7`.
final class DraftFile {
  let descriptor: Int32
  let path: String
  private let mode: mode_t?
  private let calls: FileCalls
  private var hasName = true

  private static let names = 8

  /// Creates an empty draft for a target. The mode is that of the file to replace; nil if there is
  /// no such file.
  init(of target: String, mode: mode_t?, _ calls: FileCalls) throws(FileError) {
    self.calls = calls
    self.mode = mode
    let place = URL(filePath: target)
    let folder = place.deletingLastPathComponent()
    let names = (0..<Self.names).map { number in
      folder.appending(path: ".\(place.lastPathComponent).saving\(number == 0 ? "" : "\(number)")")
        .path(percentEncoded: false)
    }
    // A draft that replaces a file stays private until it gets the mode of that file. So no other
    // user can open it.
    let number: Int
    (descriptor, number) = try Self.create(names, mode == nil ? 0o666 : 0o600, calls)
    path = names[number]
    if number > 0 { removeObstacle(names[number - 1]) }
    // Drafts with the other names were left by killed processes.
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

  /// Gives the draft the target's name and mode. A file with that name is replaced.
  func rename(to target: String) throws(FileError) {
    guard try Self.isLocked(descriptor, at: path, calls) else {
      throw calls.error(.rename, path, ENOENT)
    }
    if let mode { _ = fchmod(descriptor, mode) }
    try calls.perform(.rename, on: path) { SystemCalls.renameFile(path, to: target) ? 0 : -1 }
    hasName = false
  }

  /// Creates and locks a new file. Its name is the first one that is free, or that belongs to an
  /// abandoned draft.
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
        // Before the file was locked, another save has taken it for an abandoned draft and removed
        // it.
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

  /// Removes a draft that a killed process has left. If `waits` is true, first waits for a save of
  /// this user that is writing the draft.
  ///
  /// Only a file that this call has locked, and that still has the name, is removed. So the draft
  /// of a running save is never removed.
  ///
  /// - Returns: false if the name belongs to something other than a draft, or to a draft that
  ///   stays.
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

  /// Removes a file that has the name this draft wanted. A draft or a folder is not removed.
  ///
  /// Only a save with a draft under the next name calls this. So the name cannot belong to another
  /// draft by now.
  private func removeObstacle(_ path: String) {
    guard let status = SystemCalls.linkStatus(at: path), !status.isRegular,
      !status.isFolder
    else { return }
    SystemCalls.unlinkFile(path)
  }
}
