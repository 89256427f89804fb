import Foundation

/// The error of a failed operation on a file, with the file and the reason.
///
/// Other modules turn this error into one of their own, such as a `GraphError`.
package struct FileError: Error, Equatable, CustomStringConvertible {
  /// The operation and its file, such as "open" and a path. These words follow "could not" in the
  /// description.
  package let attempted: String
  /// The reason for the failure.
  package let reason: Reason

  package init(_ attempted: String, _ reason: Reason) {
    self.attempted = attempted
    self.reason = reason
  }

  /// Whether the operation failed because something else than a regular file has the name, such as
  /// a link or a folder.
  package var isObstacle: Bool { reason == .notRegularFile }

  /// The operation and the reason, as a sentence.
  package var description: String { "could not \(attempted): \(reason)" }

  /// A reason why an operation fails.
  package enum Reason: Equatable, Sendable, CustomStringConvertible {
    /// The URL does not name a file.
    case notAFile
    /// The path leads to a folder, a FIFO, a socket or a device, or to a link that must not be
    /// followed.
    case notRegularFile
    /// A system call has failed with this error number.
    case system(Int32)
    /// The new file has its final name, but writing its folder to the disk has failed with this
    /// error number. After a power cut, the old file may have the name again.
    case unsynced(Int32)

    /// The reason, as the second part of a sentence.
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
