import Foundation
import LineageFiles
import ObjectGraph

extension GraphError {
  /// Creates the error for an attempted operation that has failed because of a file.
  init(_ attempted: String, _ error: FileError) {
    self.init(attempted, Reason(error.reason))
  }
}

extension GraphError.Reason {
  fileprivate init(_ reason: FileError.Reason) {
    switch reason {
    case .system(ENOSPC), .system(EDQUOT), .system(EFBIG): self = .full
    case .unsynced(let number): self = .unsynced("\(FileError.Reason.system(number))")
    case .notAFile, .notRegularFile, .system: self = .inputOutput("\(reason)")
    }
  }
}
