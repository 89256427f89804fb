import Foundation

/// The output for faults that no `onError` closure receives: the standard error of the process.
enum StandardError {
  static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
