/// An operation on a file that failed: the attempt, its file and the reason.
package struct FileError: Error, Equatable, CustomStringConvertible {
  /// The attempt and its file, as the end of "could not …".
  package let attempted: String
  /// Why it could not be done.
  package let reason: Reason

  package init(_ attempted: String, _ reason: Reason) {
    self.attempted = attempted
    self.reason = reason
  }

  /// The attempt and the reason, as a sentence.
  package var description: String { "could not \(attempted): \(reason)" }

  /// Why something could not be done.
  package enum Reason: Equatable, Sendable, CustomStringConvertible {
    /// The URL is not one of a file.
    case notAFile
    /// It is a folder, a FIFO, a socket or a device, or a link where none is followed.
    case notRegularFile
    /// The system failed with an error number.
    case system(Int32)
    /// The new file is in place, but writing its folder to the disk failed with an error number: after
    /// a power cut the old file may be there again.
    case unsynced(Int32)

    /// The reason as the end of a sentence.
    package var description: String {
      switch self {
      case .notAFile: "the URL names no file"
      case .notRegularFile: "it is not a regular file"
      case .system(let number): SystemCalls.message(of: number)
      case .unsynced(let number):
        "the new file is in place, but its folder could not be written to the disk"
          + " (\(SystemCalls.message(of: number)))"
      }
    }
  }
}
