import CLineageSQLite
import Foundation

/// A replacement for the program `sqlite3`. It runs SQL on a database file without a store.
///
/// The tests cannot use `sqlite3` itself, because a fresh machine lacks it.
enum PlainSQL {
  /// Runs the SQL in a text. If the text is nil, runs each line of the standard input as it
  /// arrives.
  static func run(_ url: URL, _ text: String?) {
    var handle: OpaquePointer?
    guard sqlite3_open(url.path, &handle) == SQLITE_OK else { return complain(handle) }
    defer { sqlite3_close(handle) }
    if let text {
      run(text, on: handle)
    } else {
      while let line = readLine() { run(line, on: handle) }
    }
  }

  private static func run(_ text: String, on handle: OpaquePointer?) {
    let result = sqlite3_exec(
      handle, text,
      { _, count, values, _ in
        let row = (0..<Int(count)).map { values?[$0].map { String(cString: $0) } ?? "" }
        PlainSQL.say(row.joined(separator: "|"))
        return 0
      }, nil, nil)
    if result != SQLITE_OK { complain(handle) }
  }

  private static func complain(_ handle: OpaquePointer?) {
    say("Error: \(String(cString: sqlite3_errmsg(handle)))")
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
