import Foundation

/// The process that has locked a state folder.
enum LockHolder {
  /// Returns a text that names the process. Returns nil if no process has the lock, or if the
  /// system does not name it.
  ///
  /// The tool does not try to take the lock. Otherwise, an app that is launched at the same time
  /// could not take it.
  static func text(_ lock: URL) -> String? {
    #if os(Linux)
      let path = lock.path(percentEncoded: false)
      guard let facts = try? FileManager.default.attributesOfItem(atPath: path),
        let number = facts[.systemFileNumber] as? NSNumber
      else { return nil }
      // The system gives the list of locks in parts. If locks come and go meanwhile, a reading may
      // miss a line, so the list is read many times.
      // `FileManager` would return only the first part of the list, because the file has no size.
      let readings = (0..<64).lazy.compactMap { _ in
        try? FileHandle(forReadingAtPath: "/proc/locks")?.readToEnd()
      }
      for line in readings.flatMap({ String(decoding: $0, as: UTF8.self).split(separator: "\n") }) {
        let words = line.split(separator: " ")
        guard words.count >= 6, words[1] == "FLOCK", words[3] == "WRITE",
          words[5].split(separator: ":").last.map(String.init) == number.stringValue
        else { continue }
        return Int(words[4]).map { $0 > 0 ? "process \($0)" : "a process" } ?? "a process"
      }
    #endif
    return nil
  }
}
