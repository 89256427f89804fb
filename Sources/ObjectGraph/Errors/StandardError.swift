import Foundation

/// The output for faults that no `onError` closure receives: the standard error of the process.
enum StandardError {
  static func say(_ line: String) {
    // Standard error may be a terminal that was closed. The program goes on without the line.
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
  }
}
