package import Foundation

/// A regular file that is open for adding bytes at its end.
///
/// Symbolic links are not followed. Opening anything that is not a regular file, such as a FIFO or
/// a device, throws at once.
package struct AppendableFile: ~Copyable {
  private let descriptor: Int32
  private let path: String
  private let calls: FileCalls
  /// The identity of the file.
  package let identity: FileIdentity
  /// The file's length in bytes when it was opened.
  package let length: Int

  /// Opens an existing file. Throws if there is no file.
  package init(_ url: URL, probe: @escaping FileStep.Probe = { _ in 0 }) throws(FileError) {
    let path = url.path(percentEncoded: false)
    let calls = FileCalls(probe: probe)
    let (descriptor, status) = try Self.open(path, O_WRONLY, calls)
    self.descriptor = descriptor
    self.path = path
    self.calls = calls
    identity = FileIdentity(status)
    length = Int(max(status.st_size, 0))
  }

  deinit { close(descriptor) }

  /// Writes bytes at an offset from the file's start.
  ///
  /// The call does not wait for the disk. If it fails, some of the bytes may have been written.
  package func write(_ bytes: Span<UInt8>, at place: Int) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let written = try calls.perform(.append, on: path) {
        SystemCalls.writeBytes(bytes, from: done, to: descriptor, at: place + done)
      }
      guard written > 0 else { throw calls.error(.append, path, EIO) }
      done += written
    }
  }

  /// Removes all bytes from an offset on, so that the file has the given length.
  package func truncate(to length: Int) throws(FileError) {
    try calls.perform(.truncate, on: path) { Int(ftruncate(descriptor, off_t(length))) }
  }

  /// Waits until the file is on the disk.
  package func sync() throws(FileError) {
    try calls.perform(.sync, on: path) { Int(SystemCalls.syncFile(descriptor)) }
  }

  /// Opens a regular file, and returns its descriptor and its status. For a FIFO or a device, which
  /// could make the call wait, throws at once.
  static func open(
    _ path: String, _ flags: Int32, mode: mode_t = 0, _ calls: FileCalls
  ) throws(FileError) -> (Int32, stat) {
    let flags = flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let descriptor = Int32(
      calls.result(of: .open) { Int(SystemCalls.openFile(path, flags, mode: mode)) })
    guard descriptor >= 0 else {
      let isRefused = [ELOOP, EISDIR, ENXIO].contains(errno)
      throw FileError("open \(path)", isRefused ? .notRegularFile : .system(errno))
    }
    do throws(FileError) {
      let status = try calls.status(of: descriptor, at: path)
      guard status.isRegular else { throw FileError("open \(path)", .notRegularFile) }
      return (descriptor, status)
    } catch {
      close(descriptor)
      throw error
    }
  }
}
