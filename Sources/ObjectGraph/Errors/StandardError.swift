import Foundation

/// The stream for what nobody asked to be told.
enum StandardError {
  static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
