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

  /// Returns the status of the file at a path; nil if the call fails. For a link, the status is
  /// that of the file that the link names.
  package static func fileStatus(at path: String) -> stat? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status : nil
  }

  /// Returns the status of the file at a path; nil if the call fails. For a link, the status is
  /// that of the link itself.
  package static func linkStatus(at path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
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

  /// Opens a folder in an open folder and returns its descriptor. A link is not followed. A
  /// negative descriptor means that the call has failed. The name ends with a zero.
  static func openFolder(_ name: [CChar], in folder: Int32) -> Int32 {
    unsafe openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  }

  /// Returns the names in an open folder, each with a zero at its end; nil if the call fails. The
  /// names are bytes, because they need not be texts.
  static func entries(of folder: Int32) -> [[CChar]]? {
    // Closing the stream closes its descriptor, so the stream gets another one than `folder`.
    let own = openFolder([CChar(bitPattern: UInt8(ascii: ".")), 0], in: folder)
    guard own >= 0 else { return nil }
    guard let stream = unsafe fdopendir(own) else {
      close(own)
      return nil
    }
    defer { unsafe closedir(stream) }
    var names: [[CChar]] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe Array($0.prefix { $0 != 0 })
      }
      if name == Array(".".utf8) || name == Array("..".utf8) { continue }
      names.append(name.map { CChar(bitPattern: $0) } + [0])
    }
    return names
  }

  /// Removes the name of a file in an open folder. Returns whether this has succeeded.
  static func unlinkFile(_ name: [CChar], in folder: Int32) -> Bool {
    unsafe unlinkat(folder, name, 0) == 0
  }

  /// Removes an empty folder from an open folder. Returns whether this has succeeded.
  static func removeFolder(_ name: [CChar], in folder: Int32) -> Bool {
    unsafe unlinkat(folder, name, AT_REMOVEDIR) == 0
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

  /// Reads bytes at an offset of a file into the memory from `place` on. Returns the number of
  /// bytes; a negative number means that the call has failed.
  package static func readBytes(
    into bytes: inout MutableSpan<UInt8>, from place: Int, of file: Int32, at offset: Int
  ) -> Int {
    unsafe bytes.withUnsafeMutableBufferPointer {
      unsafe readBytes(into: $0, from: place, of: file, at: offset)
    }
  }

  /// Reads bytes at an offset of a file into the memory from `place` on. The memory may be
  /// uninitialised. Returns the number of bytes; a negative number means that the call has failed.
  static func readBytes(
    into bytes: UnsafeMutableBufferPointer<UInt8>, from place: Int, of file: Int32, at offset: Int
  ) -> Int {
    let rest = unsafe UnsafeMutableBufferPointer(rebasing: bytes[place...])
    return unsafe pread(file, rest.baseAddress, rest.count, off_t(offset))
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
