package import Foundation

/// Calls of the system which take pointers, for callers that have none.
///
/// They are safe because the system uses each pointer only while the call runs, reads a path up to its
/// end, and writes no more bytes than it is told. After a failure `errno` is as the system has set it.
package enum SystemCalls {
  // MARK: Names

  /// Opens a file; returns a negative number if that fails.
  package static func openFile(_ path: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
    unsafe open(path, flags, mode)
  }

  /// Returns the status of a file, that of a link's target; nil if it has none.
  package static func fileStatus(at path: String) -> stat? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// Returns the status of what has a name, be it a link; nil if it has none.
  package static func linkStatus(at path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
  }

  /// Returns whether the process may use a file in a mode.
  package static func permits(_ mode: Int32, at path: String) -> Bool {
    unsafe access(path, mode) == 0
  }

  /// Takes a name away; returns whether it is gone because of that.
  @discardableResult
  package static func unlinkFile(_ path: String) -> Bool { unsafe unlink(path) == 0 }

  /// Gives a file a second name that nothing has; returns whether it has it.
  package static func linkFile(_ path: String, as name: String) -> Bool {
    unsafe link(path, name) == 0
  }

  /// Gives a file another name, in place of what has it; returns whether it has it.
  package static func renameFile(_ path: String, to name: String) -> Bool {
    unsafe rename(path, name) == 0
  }

  /// Returns the path without links; nil if there is no file.
  package static func resolvedPath(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  // MARK: Open files

  /// Returns the status of an open file; nil if the system cannot tell.
  package static func fileStatus(of file: Int32) -> stat? {
    var status = stat()
    return unsafe fstat(file, &status) == 0 ? status : nil
  }

  /// Sets a lock of the process on bytes of a file; returns whether it has it.
  @discardableResult
  package static func setLock(_ lock: flock, on file: Int32) -> Bool {
    var lock = lock
    return unsafe fcntl(file, F_SETLK, &lock) == 0
  }

  /// Returns the lock of another process that is in the way of a lock, whose type is `F_UNLCK` if none
  /// is; nil if the system cannot tell.
  package static func obstacle(to lock: flock, on file: Int32) -> flock? {
    var lock = lock
    return unsafe fcntl(file, F_GETLK, &lock) == 0 ? lock : nil
  }

  /// Reads the bytes of a value of integers at an offset; returns whether the file has all of them.
  package static func readValue<T: BitwiseCopyable>(
    _ value: inout T, from file: Int32, at offset: Int
  ) -> Bool {
    unsafe withUnsafeMutableBytes(of: &value) {
      unsafe pread(file, $0.baseAddress, $0.count, off_t(offset)) == $0.count
    }
  }

  /// Reads bytes at an offset of a file into memory, up to its end; returns their number, which is
  /// negative if that fails.
  package static func readBytes(
    into bytes: inout MutableSpan<UInt8>, of file: Int32, at offset: Int
  ) -> Int {
    unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(file, $0.baseAddress, $0.count, off_t(offset))
    }
  }

  // MARK: Errors

  /// Returns what an error number means, in the system's words.
  package static func message(of error: Int32) -> String { unsafe String(cString: strerror(error)) }
}
