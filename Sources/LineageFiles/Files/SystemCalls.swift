import Foundation

/// Calls of the system which take pointers, for callers that have none.
///
/// They are safe because the system uses each pointer only while the call runs, reads a path up to its
/// end, and writes no more bytes than it is told. After a failure `errno` is as the system has set it.
///
/// `ObjectGraph` has such calls of its own, because neither module is below the other.
enum SystemCalls {
  /// Opens a file; returns a negative number if that fails.
  static func openFile(_ path: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
    unsafe open(path, flags, mode)
  }

  /// Returns the status of a file, that of a link's target; nil if it has none.
  static func fileStatus(at path: String) -> stat? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// Returns the status of what has a name, be it a link; nil if it has none.
  static func linkStatus(at path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
  }

  /// Returns the status of an open file; nil if the system cannot tell.
  static func fileStatus(of file: Int32) -> stat? {
    var status = stat()
    return unsafe fstat(file, &status) == 0 ? status : nil
  }

  /// Removes a name; returns whether it is gone because of that.
  @discardableResult
  static func unlinkFile(_ path: String) -> Bool { unsafe unlink(path) == 0 }

  /// Gives a file another name, in place of what has it; returns whether it has it.
  static func renameFile(_ path: String, to name: String) -> Bool {
    unsafe rename(path, name) == 0
  }

  /// Reads bytes at an offset of a file into memory, from a place in that up to its end; returns their
  /// number, which is negative if that fails.
  static func readBytes(
    into bytes: inout MutableSpan<UInt8>, from place: Int, of file: Int32, at offset: Int
  ) -> Int {
    unsafe bytes.withUnsafeMutableBytes {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: $0[place...])
      return unsafe pread(file, rest.baseAddress, rest.count, off_t(offset))
    }
  }

  /// Writes bytes, from a place in them up to their end, at an offset of a file; returns the number of
  /// those that were written, which is negative if that fails.
  static func writeBytes(
    _ bytes: Span<UInt8>, from place: Int, to file: Int32, at offset: Int
  ) -> Int {
    unsafe bytes.withUnsafeBytes {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: $0[place...])
      return unsafe pwrite(file, rest.baseAddress, rest.count, off_t(offset))
    }
  }

  /// Returns what an error number means, in the system's words.
  static func message(of error: Int32) -> String { unsafe String(cString: strerror(error)) }
}
