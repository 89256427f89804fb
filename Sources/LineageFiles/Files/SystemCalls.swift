package import Foundation

/// Wrappers of system calls that take pointers. Callers of the wrappers need no pointers.
///
/// The wrappers are safe because the system uses each pointer only during the call. It reads a path
/// only up to its end, and writes no more bytes than the call allows. After a failure, `errno` has
/// the error number.
package enum SystemCalls {
  /// Opens a file and returns its descriptor. A negative descriptor means that the call has failed.
  package static func openFile(_ path: String, _ flags: Int32, mode: mode_t = 0) -> Int32 {
    unsafe open(path, flags, mode)
  }

  /// Returns the status of the file at a path; nil if the call fails. If links are not followed,
  /// the status of a link is that of the link itself.
  package static func fileStatus(at path: String, followsLinks: Bool = true) -> stat? {
    var status = stat()
    let result = unsafe followsLinks ? stat(path, &status) : lstat(path, &status)
    return result == 0 ? status : nil
  }

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

  /// Removes a file's name. Returns false if the call fails.
  @discardableResult
  package static func unlinkFile(_ path: String) -> Bool { unsafe unlink(path) == 0 }

  /// Renames a file. A file that has the new name is replaced. Returns false if the call fails.
  package static func renameFile(_ path: String, to name: String) -> Bool {
    unsafe rename(path, name) == 0
  }

  /// Adds another name to a file. Returns false if the call fails, for example because another file
  /// has the name.
  package static func linkFile(_ path: String, as name: String) -> Bool {
    unsafe link(path, name) == 0
  }

  /// Returns whether the process may access a file in the given mode.
  package static func permits(_ mode: Int32, at path: String) -> Bool {
    unsafe access(path, mode) == 0
  }

  /// Returns the path without symbolic links; nil if the file does not exist.
  package static func resolvedPath(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
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

  /// Makes a folder that only its owner can use. Returns false if the call fails.
  static func makeFolder(_ path: String) -> Bool { unsafe mkdir(path, 0o700) == 0 }

  /// Reads a value from the bytes of a file at an offset. Returns whether the file has all bytes of
  /// the value.
  package static func readValue<T: BitwiseCopyable>(
    _ value: inout T, from file: Int32, at offset: Int
  ) -> Bool {
    unsafe withUnsafeMutableBytes(of: &value) {
      unsafe pread(file, $0.baseAddress, $0.count, off_t(offset)) == $0.count
    }
  }

  /// Returns bytes at an offset of a file; fewer if the file ends earlier. Returns nil if the call
  /// fails.
  package static func bytes(_ wanted: Int, of file: Int32, at offset: Int) -> [UInt8]? {
    // The initializer below writes the count even into the storage that all empty arrays share.
    guard wanted > 0 else { return [] }
    var failure: Int32 = 0
    // The memory is not set to zero first. Only the bytes that were read count as initialised.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { memory, count in
      while count < wanted, failure == 0 {
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: memory[count...])
        let more = unsafe pread(file, rest.baseAddress, rest.count, off_t(offset + count))
        if more == 0 { return }
        if more > 0 { count += more } else if errno != EINTR { failure = errno }
      }
    }
    errno = failure
    return failure == 0 ? bytes : nil
  }

  /// Waits for the next bytes of a file, and returns at most the wanted number of them; none at the end
  /// of the file. Returns nil if the call fails.
  package static func nextBytes(_ wanted: Int, of file: Int32) -> [UInt8]? {
    while true {
      var count = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { memory, size in
        count = unsafe read(file, memory.baseAddress, wanted)
        size = max(count, 0)
      }
      if count >= 0 { return bytes }
      guard errno == EINTR || errno == EAGAIN else { return nil }
      var wait = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&wait, 1, -1)
    }
  }

  /// Writes the bytes from `place` on to a file, at an offset of the file. Returns the number of
  /// bytes that were written; a negative number means that the call has failed.
  static func writeBytes(
    _ bytes: Span<UInt8>, from place: Int, to file: Int32, at offset: Int
  ) -> Int {
    unsafe bytes.withUnsafeBytes {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: $0[place...])
      return unsafe pwrite(file, rest.baseAddress, rest.count, off_t(offset))
    }
  }

  /// Returns memory that is shared with the first bytes of a file; nil if the call fails.
  static func mapBytes(_ count: Int, of file: Int32) -> UnsafeMutableRawPointer? {
    let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    return unsafe start == MAP_FAILED ? nil : start
  }

  /// Returns whether the file system on which a file lies has at least the given number of free
  /// bytes.
  static func hasRoom(_ bytes: UInt64, beside file: Int32) -> Bool {
    var status = statvfs()
    guard unsafe fstatvfs(file, &status) == 0 else { return false }
    let (free, isHuge) = UInt64(status.f_bavail).multipliedReportingOverflow(
      by: UInt64(status.f_frsize))
    return isHuge || free >= bytes
  }

  /// Returns the system's message for an error number.
  package static func message(of error: Int32) -> String { unsafe String(cString: strerror(error)) }
}
