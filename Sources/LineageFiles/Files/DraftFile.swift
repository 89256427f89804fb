import Foundation

/// A file that is being written beside the one it will replace.
///
/// Its name is `.name.saving`. Its maker keeps it locked until it has another name or is removed.
/// A second save waits for the lock; a draft that can be locked was left by a killed process, and is
/// removed. Nothing that exists is written to.
///
/// Anything else with the name, such as a symbolic link, and another user's draft are not waited for:
/// the draft takes the next name, `.name.saving1` to `.name.saving7`.
final class DraftFile {
  let descriptor: Int32
  let path: String
  private let mode: mode_t?
  private let calls: FileCalls
  private var hasName = true

  private static let names = 8

  /// Makes an empty file that will replace one with the mode, if there is one.
  init(of target: String, mode: mode_t?, _ calls: FileCalls) throws(FileError) {
    self.calls = calls
    self.mode = mode
    let place = URL(filePath: target)
    let folder = place.deletingLastPathComponent()
    let names = (0..<Self.names).map { number in
      folder.appending(path: ".\(place.lastPathComponent).saving\(number == 0 ? "" : "\(number)")")
        .path(percentEncoded: false)
    }
    // Other users can open the draft of a file only when it has that file's mode.
    let number: Int
    (descriptor, number) = try Self.create(names, mode == nil ? 0o666 : 0o600, calls)
    path = names[number]
    if number > 0 { removeObstacle(names[number - 1]) }
    // Drafts under the other names were left by processes that were killed.
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

  /// Gives the file its name, in place of the one that had it.
  func rename(to target: String) throws(FileError) {
    guard try Self.isLocked(descriptor, at: path, calls) else {
      throw calls.error(.rename, path, ENOENT)
    }
    if let mode { _ = fchmod(descriptor, mode) }
    try calls.perform(.rename, on: path) { SystemCalls.renameFile(path, to: target) ? 0 : -1 }
    hasName = false
  }

  /// Makes and locks a file that did not exist, with the first name that is free or a dead draft's.
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
        // Another save took it for a dead draft before it was locked, and has removed it.
        close(descriptor)
      } else if errno != EEXIST {
        throw calls.error(.create, path, errno)
      } else if try !removeDraft(path, waits: true, calls) {
        number += 1
      }
    }
    throw calls.error(.create, names[0], EEXIST)
  }

  /// Locks a file; closes it if that fails.
  ///
  /// - Returns: whether the name is still the file's.
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

  /// Whether the name is that of the locked file.
  private static func isLocked(
    _ descriptor: Int32, at path: String, _ calls: FileCalls
  ) throws(FileError) -> Bool {
    let mine = try calls.status(of: descriptor, at: path)
    return try calls.status(of: path)?.isSame(as: mine) ?? false
  }

  /// Removes a draft if a killed process has left it, after waiting for a save that writes it.
  ///
  /// Only a draft that is locked, and has the name, is removed: so none that another save writes.
  ///
  /// - Returns: false if what has the name is no draft, or stays.
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

  /// Removes what was in the way, unless it is a draft or a folder.
  ///
  /// Only the save whose draft has the next name does: so the name cannot be a draft's by now.
  private func removeObstacle(_ path: String) {
    guard let status = SystemCalls.linkStatus(at: path), !status.isRegular,
      !status.isFolder
    else { return }
    SystemCalls.unlinkFile(path)
  }
}
