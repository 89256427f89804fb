package import LineageFiles

/// A reason why the files of a state folder are not written.
package enum StateFolderError: Error, Equatable, CustomStringConvertible {
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
  case notErased(FileError)
  /// There was no room for a new file, so the archive was written over the newest file.
  case overwritten(file: String)
  /// A call of the system has failed.
  case file(FileError)

  /// The reason, as a sentence.
  package var description: String {
    switch self {
    case .inUse: "Another process uses the folder of the state."
    case .newerFormat(let file):
      "\(file) was written by a newer version of the program, which needs it."
    case .notMoved(let file):
      "\(file) could not be renamed. The next launch tries again."
    case .outdated: "Another process has stored a newer state meanwhile."
    case .overwritten(let file):
      "There was no room for another file, so \(file) was overwritten in place."
    case .file(let error), .notErased(let error): "The state folder: \(error)."
    }
  }

  /// Whether this process must write none of the files.
  var isFinal: Bool {
    switch self {
    case .inUse, .newerFormat, .notMoved: true
    case .outdated, .notErased, .overwritten, .file: false
    }
  }

  /// Whether the archive is stored all the same.
  var isStored: Bool {
    switch self {
    case .overwritten, .notErased: true
    case .file(let error): if case .unsynced = error.reason { true } else { false }
    default: false
    }
  }

  /// Whether the disk or the file can take no more bytes.
  var isFull: Bool { number.map { SystemErrors.full.contains($0) } ?? false }

  /// Whether a later attempt to lock the folder may succeed.
  var mayPass: Bool { number.map { SystemErrors.passing.contains($0) } ?? false }

  /// The error number of the system; nil if there is none.
  private var number: Int32? {
    guard case .file(let error) = self, case .system(let number) = error.reason else { return nil }
    return number
  }
}
