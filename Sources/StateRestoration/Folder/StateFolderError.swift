import Foundation
import LineageFiles

/// A reason why the files of a state folder are not written, or not as usual.
enum StateFolderError: Error, Equatable, CustomStringConvertible {
  /// Another process uses the folder.
  case inUse
  /// A newer version of the library has written a file.
  case newerFormat(file: String)
  /// An archive could not be renamed, although it may have state that must not be replaced.
  case notMoved(file: String)
  /// A file is at least as new as the archive that was to be written. Another process has written
  /// it.
  case outdated(generation: UInt64)
  /// The archive is stored, but another file may still have erased records.
  case notErased(reason: String)
  /// There was no room for a new file, so the archive was written over the newest file.
  case overwritten(file: String)

  /// The reason, as a sentence.
  var description: String {
    switch self {
    case .inUse: "Another process uses the folder of the state."
    case .newerFormat(let file):
      "\(file) was written by a newer version of the program, which needs it."
    case .notMoved(let file): "\(file) could not be renamed. The next launch tries again."
    case .outdated: "Another process has stored a newer state meanwhile."
    case .notErased(let reason): "The state folder: \(reason)."
    case .overwritten(let file):
      "There was no room for another file, so \(file) was overwritten in place."
    }
  }
}

extension Error {
  /// Whether this is the error of storing an archive that is stored all the same.
  var isStored: Bool {
    if case .overwritten? = self as? StateFolderError { return true }
    if case .unsynced? = (self as? FileError)?.reason { return true }
    return false
  }
}

extension FileError {
  /// Whether a later attempt to lock the folder may succeed.
  var mayPass: Bool {
    guard case .system(let number) = reason else { return false }
    return [ENOSPC, EDQUOT, EIO, EROFS, EMFILE, ENFILE, ENOMEM, EINTR, ENOENT].contains(number)
  }
}
