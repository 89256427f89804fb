/// An operation on a file that failed, with the file and the reason.
///
/// It knows nothing of objects. An archive turns it into an error of its own, such as a
/// `GraphError`.
package struct FileError: Error, Equatable, CustomStringConvertible {
  /// The attempt and its file, as the words after "could not".
  package let attempted: String
  /// The reason for the failure.
  package let reason: Reason

  package init(_ attempted: String, _ reason: Reason) {
    self.attempted = attempted
    self.reason = reason
  }

  /// The attempt and the reason, as a sentence.
  package var description: String { "could not \(attempted): \(reason)" }

  /// A reason for which an operation fails.
  package enum Reason: Equatable, Sendable, CustomStringConvertible {
    /// The URL is not that of a file.
    case notAFile
    /// The file is a folder, a FIFO, a socket or a device, or it is a link and links are not
    /// followed.
    case notRegularFile
    /// A system call failed with an error number.
    case system(Int32)
    /// The new file is in its place, but writing its folder to the disk failed with an error
    /// number. After a power cut the old file may be there again.
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
