import Foundation

/// An open regular file. It is closed at the end of its life.
struct OpenFile: ~Copyable {
  let descriptor: Int32
  let path: String
  /// The status of the file when it was opened.
  let status: stat

  /// Opens a regular file. For anything else, such as a FIFO or a device, which could make the call
  /// wait, throws `notRegularFile` at once. With the flag `O_NOFOLLOW`, does the same for a link.
  init(
    _ path: String, _ flags: Int32, mode: mode_t = 0, step: FileStep = .open, _ calls: FileCalls
  ) throws(FileError) {
    let flags = flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let descriptor = Int32(
      calls.result(of: step) { Int(SystemCalls.openFile(path, flags, mode: mode)) })
    guard descriptor >= 0 else {
      // The system reports ENXIO for a socket.
      let isRefused = errno == EISDIR || errno == ENXIO || errno == ELOOP && flags & O_NOFOLLOW != 0
      throw isRefused ? FileError("open \(path)", .notRegularFile) : calls.error(step, path, errno)
    }
    let status: stat
    do throws(FileError) {
      status = try calls.value(.inspect, on: path) { SystemCalls.fileStatus(of: descriptor) }
      guard status.isRegular else { throw FileError("open \(path)", .notRegularFile) }
    } catch {
      close(descriptor)
      throw error
    }
    (self.descriptor, self.path, self.status) = (descriptor, path, status)
  }

  deinit { close(descriptor) }

  /// The file's length in bytes when it was opened.
  var length: Int { Int(max(status.st_size, 0)) }

  /// Whether the file still has the name with which it was opened.
  var hasName: Bool {
    guard let named = SystemCalls.fileStatus(at: path, followsLinks: false) else { return false }
    return named.st_ino == status.st_ino && named.st_dev == status.st_dev
  }

  /// Returns bytes at an offset from the file's start; fewer if the file ends earlier.
  func bytes(_ wanted: Int, at place: Int, _ calls: FileCalls) throws(FileError) -> [UInt8] {
    try calls.value(.read, on: path) { SystemCalls.bytes(wanted, of: descriptor, at: place) }
  }

  /// Writes bytes at an offset from the file's start. If this fails, some of the bytes may have
  /// been written.
  func write(_ bytes: Span<UInt8>, at place: Int, _ calls: FileCalls) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let written = try calls.perform(.write, on: path) {
        SystemCalls.writeBytes(bytes, from: done, to: descriptor, at: place + done)
      }
      guard written > 0 else { throw calls.error(.write, path, EIO) }
      done += written
    }
  }
}
