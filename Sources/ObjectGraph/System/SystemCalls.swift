package import Foundation

/// Functions of the operating system that take pointers, wrapped so that callers need no pointers.
///
/// The wrappers are safe because the system uses each pointer only during the call. It reads a path
/// only up to its end, and writes no more bytes than it is told. After a failure, `errno` has the
/// value that the system set.
package enum SystemCalls {
  // MARK: Names

  /// Opens a file and returns its descriptor. Returns a negative number if the call fails.
  package static func openFile(_ path: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
    unsafe open(path, flags, mode)
  }

  /// Returns the status of a file; nil if the call fails. If the path leads to a symbolic link,
  /// returns the status of the link's target.
  package static func fileStatus(at path: String) -> stat? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// Returns the status of a file; nil if the call fails. If the path leads to a symbolic link,
  /// returns the status of the link itself.
  package static func linkStatus(at path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
  }

  /// Returns whether the process may access a file in the given mode.
  package static func permits(_ mode: Int32, at path: String) -> Bool {
    unsafe access(path, mode) == 0
  }

  /// Removes a name of a file. Returns whether the call succeeded.
  @discardableResult
  package static func unlinkFile(_ path: String) -> Bool { unsafe unlink(path) == 0 }

  /// Adds another name to a file. The call fails if the name is already used. Returns whether the
  /// call succeeded.
  package static func linkFile(_ path: String, as name: String) -> Bool {
    unsafe link(path, name) == 0
  }

  /// Renames a file. A file that already has the new name is replaced. Returns whether the call
  /// succeeded.
  package static func renameFile(_ path: String, to name: String) -> Bool {
    unsafe rename(path, name) == 0
  }

  /// Returns the path with all symbolic links resolved; nil if the file does not exist.
  package static func resolvedPath(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  // MARK: Open files

  /// Returns the status of an open file; nil if the call fails.
  package static func fileStatus(of file: Int32) -> stat? {
    var status = stat()
    return unsafe fstat(file, &status) == 0 ? status : nil
  }

  /// Waits until an open file is on the disk. Returns zero, or -1 if the call fails.
  package static func syncFile(_ file: Int32) -> Int32 {
    #if canImport(Darwin)
      // Here `fsync` leaves the bytes in the disk's cache. Some file systems have nothing better.
      if fcntl(file, F_FULLFSYNC) == 0 { return 0 }
    #endif
    return fsync(file)
  }

  /// Sets a lock of this process on a range of bytes of a file. Returns whether the call succeeded.
  @discardableResult
  package static func setLock(_ lock: flock, on file: Int32) -> Bool {
    var lock = lock
    return unsafe fcntl(file, F_SETLK, &lock) == 0
  }

  /// Returns a lock of another process that conflicts with the given lock. If there is none,
  /// returns a lock of type `F_UNLCK`. Returns nil if the call fails.
  package static func obstacle(to lock: flock, on file: Int32) -> flock? {
    var lock = lock
    return unsafe fcntl(file, F_GETLK, &lock) == 0 ? lock : nil
  }

  /// Reads a value from the bytes of a file at an offset. Returns whether the file has all bytes of
  /// the value.
  package static func readValue<T: BitwiseCopyable>(
    _ value: inout T, from file: Int32, at offset: Int
  ) -> Bool {
    unsafe withUnsafeMutableBytes(of: &value) {
      unsafe pread(file, $0.baseAddress, $0.count, off_t(offset)) == $0.count
    }
  }

  /// Reads bytes of a file at an offset into the given memory. Returns the number of bytes that
  /// were read, or a negative number if the call fails.
  package static func readBytes(
    into bytes: inout MutableSpan<UInt8>, of file: Int32, at offset: Int
  ) -> Int {
    unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(file, $0.baseAddress, $0.count, off_t(offset))
    }
  }

  // MARK: Errors

  /// Returns the system's message for an error number.
  package static func message(of error: Int32) -> String { unsafe String(cString: strerror(error)) }
}
