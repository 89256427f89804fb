import Foundation

/// The removal of a folder with all that is in it.
///
/// Each folder is opened below its parent's descriptor, and links are not followed. So nothing
/// outside the folder is ever removed, even if another program renames folders meanwhile.
enum FolderRemoval {
  /// The greatest number of levels of folders that are removed. Each level keeps one descriptor
  /// open, and a process has a limited number of them.
  private static let depthLimit = 64

  /// Removes a folder with all that is in it. If something could not be removed, returns a negative
  /// number, with `errno` set.
  static func remove(_ path: String) -> Int {
    let place = URL(filePath: path, directoryHint: .notDirectory)
    let above = place.deletingLastPathComponent().path(percentEncoded: false)
    let folder = SystemCalls.openFile(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return -1 }
    defer { closeKeepingError(folder) }
    return remove(Array(place.lastPathComponent.utf8CString), in: folder, depth: 1)
  }

  /// Removes the folder with the given name from an open folder. `depth` is the number of levels of
  /// folders under removal, including this one.
  private static func remove(_ name: [CChar], in parent: Int32, depth: Int) -> Int {
    guard depth <= depthLimit else {
      errno = ENOTEMPTY
      return -1
    }
    let folder = SystemCalls.openFolder(name, in: parent)
    guard folder >= 0 else { return -1 }
    defer { closeKeepingError(folder) }
    guard let entries = SystemCalls.entries(of: folder) else { return -1 }
    var failure: Int32 = 0
    for entry in entries where !SystemCalls.unlinkFile(entry, in: folder) {
      if errno == ENOENT { continue }
      let isFolder = errno == EISDIR || errno == EPERM
      if isFolder, remove(entry, in: folder, depth: depth + 1) == 0 { continue }
      // The other entries of the folder are still removed.
      failure = errno
    }
    guard failure == 0 else {
      errno = failure
      return -1
    }
    return SystemCalls.removeFolder(name, in: parent) ? 0 : -1
  }

  private static func closeKeepingError(_ file: Int32) {
    let number = errno
    close(file)
    errno = number
  }
}
