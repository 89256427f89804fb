package import Foundation

/// A regular file that is open for reading.
package struct InputFile: ~Copyable {
  private let descriptor: Int32
  private let path: String
  /// The file's length in bytes when it was opened.
  package let length: UInt64

  /// Opens a file; nil if there is none.
  ///
  /// If links are not followed, a symbolic link is refused as no regular file.
  package init?(_ url: URL, followsLinks: Bool = true) throws(FileError) {
    guard url.isFileURL else { throw FileError("open \(url)", .notAFile) }
    let path = url.path(percentEncoded: false)
    // Without O_NONBLOCK, opening a FIFO would wait for its writer.
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let descriptor = SystemCalls.openFile(path, followsLinks ? flags : flags | O_NOFOLLOW)
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
    length = UInt64(max(status.st_size, 0))
  }

  deinit { close(descriptor) }

  /// Replaces the buffer's bytes with those at an offset, at most up to the end of the file.
  /// Returns their number.
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
}
