package import LineageFiles

/// A reason why the files of a state folder are not written.
package enum StateFolderError: Error, Equatable, CustomStringConvertible {
  /// Another process uses the folder.
  case inUse
  /// A newer version of the library has written a file.
  case newerFormat(file: String)
  /// A file is not the one that this process has read or written last.
  case replaced(file: String)
  /// A call of the system has failed.
  case file(FileError)

  /// The reason, as a sentence.
  package var description: String {
    switch self {
    case .inUse: "Another process uses the folder of the state."
    case .newerFormat(let file):
      "\(file) was written by a newer version of the program, which will want it back."
    case .replaced(let file): "\(file) is not the file that was written last."
    case .file(let error): "The state folder: \(error)."
    }
  }

  /// Whether this process must write none of the files.
  var isFinal: Bool {
    switch self {
    case .inUse, .newerFormat: true
    case .replaced, .file: false
    }
  }

  /// Whether the disk, the quota or the file can take no more bytes.
  var isFull: Bool {
    guard case .file(let error) = self, case .system(let number) = error.reason else {
      return false
    }
    return SystemErrors.full.contains(number)
  }
}
