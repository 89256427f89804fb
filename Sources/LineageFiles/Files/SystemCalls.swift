import Foundation

/// Wrappers of system calls that take pointers, for callers without pointers.
///
/// They are safe because the system uses each pointer only during the call, reads a path only up to
/// its end, and writes no more bytes than it is told. After a failure, `errno` is as the system has
/// set it.
///
/// `ObjectGraph` has such wrappers of its own, because neither module depends on the other.
enum SystemCalls {
  /// Opens a file and returns its descriptor, which is negative if that fails.
  static func openFile(_ path: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
    unsafe open(path, flags, mode)
  }

  /// Returns the status of a file, or of the file that a link names; nil if there is none.
  static func fileStatus(at path: String) -> stat? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// Returns the status of the file at a path, or of the link itself; nil if there is none.
  static func linkStatus(at path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
  }

  /// Returns the status of an open file; nil if the call fails.
  static func fileStatus(of file: Int32) -> stat? {
    var status = stat()
    return unsafe fstat(file, &status) == 0 ? status : nil
  }

  /// Removes a file's name. Returns whether this call has removed it.
  @discardableResult
  static func unlinkFile(_ path: String) -> Bool { unsafe unlink(path) == 0 }

  /// Renames a file, and replaces any file with the new name. Returns whether that succeeded.
  static func renameFile(_ path: String, to name: String) -> Bool {
    unsafe rename(path, name) == 0
  }

  /// Reads bytes at an offset of a file into memory, from a place in the memory up to its end.
  /// Returns the number of bytes, which is negative if that fails.
  static func readBytes(
    into bytes: inout MutableSpan<UInt8>, from place: Int, of file: Int32, at offset: Int
  ) -> Int {
    unsafe bytes.withUnsafeMutableBytes {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: $0[place...])
      return unsafe pread(file, rest.baseAddress, rest.count, off_t(offset))
    }
  }

  /// Writes bytes, from a place in them up to their end, at an offset of a file. Returns the number
  /// of bytes that were written, which is negative if that fails.
  static func writeBytes(
    _ bytes: Span<UInt8>, from place: Int, to file: Int32, at offset: Int
  ) -> Int {
    unsafe bytes.withUnsafeBytes {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: $0[place...])
      return unsafe pwrite(file, rest.baseAddress, rest.count, off_t(offset))
    }
  }

  /// Returns the system's text for an error number.
  static func message(of error: Int32) -> String { unsafe String(cString: strerror(error)) }
}
