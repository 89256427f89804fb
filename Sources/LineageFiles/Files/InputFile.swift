package import Foundation

/// A regular file that is open for reading.
package struct InputFile: ~Copyable {
  private let descriptor: Int32
  private let path: String
  private let calls: FileCalls
  /// The identity of the file.
  package let identity: FileIdentity
  /// The file's length in bytes when it was opened.
  package let length: UInt64

  /// Opens a file for reading. Returns nil if there is no file.
  ///
  /// If `followsLinks` is false, throws `notRegularFile` for a symbolic link.
  package init?(
    _ url: URL, followsLinks: Bool = true, probe: @escaping FileStep.Probe = { _ in 0 }
  ) throws(FileError) {
    guard url.isFileURL else { throw FileError("open \(url)", .notAFile) }
    let path = url.path(percentEncoded: false)
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let calls = FileCalls(probe: probe)
    let descriptor = Int32(
      calls.result(of: .open) {
        Int(SystemCalls.openFile(path, followsLinks ? flags : flags | O_NOFOLLOW))
      })
    guard descriptor >= 0 else {
      let number = errno
      if number == ENOENT || number == ENOTDIR { return nil }
      let isLink = !followsLinks && number == ELOOP
      throw FileError("open \(path)", isLink ? .notRegularFile : .system(number))
    }
    guard let status = SystemCalls.fileStatus(of: descriptor) else {
      let number = errno
      close(descriptor)
      throw FileError("open \(path)", .system(number))
    }
    guard status.isRegular else {
      close(descriptor)
      throw FileError("open \(path)", .notRegularFile)
    }
    self.descriptor = descriptor
    self.path = path
    self.calls = calls
    identity = FileIdentity(status)
    length = UInt64(max(status.st_size, 0))
  }

  deinit { close(descriptor) }

  /// Replaces the buffer's bytes with `wanted` bytes from an offset in the file. Returns the number
  /// of bytes that were read, which is smaller if the file ends earlier.
  package func read(
    _ wanted: Int, at place: Int, into buffer: inout ByteBuffer
  ) throws(FileError) -> Int {
    try buffer.fill(wanted) { (bytes: inout MutableSpan<UInt8>) throws(FileError) in
      var done = 0
      while done < wanted {
        let count = SystemCalls.readBytes(
          into: &bytes, from: done, of: descriptor, at: place + done)
        if count == 0 { break }
        if count > 0 {
          done += count
        } else if errno != EINTR {
          throw FileError("read \(path)", .system(errno))
        }
      }
      return done
    }
    return buffer.count
  }

  /// Returns the first bytes of the file, at most `wanted`. Bytes that were added after the file
  /// was opened are not read.
  package func bytes(first wanted: Int = .max) throws(FileError) -> [UInt8] {
    let wanted = Int(min(length, UInt64(max(wanted, 0))))
    // The initializer below writes the count even into the storage that all empty arrays share.
    guard wanted > 0 else { return [] }
    var failure: FileError?
    // The memory is not set to zero first. Only the bytes that were read count as initialised.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, done in
      while done < wanted {
        let count = calls.result(of: .read) {
          unsafe SystemCalls.readBytes(into: buffer, from: done, of: descriptor, at: done)
        }
        guard count >= 0 else { return failure = calls.error(.read, path, errno) }
        // The file ends here, because another process has made it shorter meanwhile.
        guard count > 0 else { return }
        done += count
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
