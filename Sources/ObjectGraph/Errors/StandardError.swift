import Foundation

/// The output for faults that no `onFault` closure receives.
enum StandardError {
  static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
