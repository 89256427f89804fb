import Foundation
import ObjectGraph

/// A regular file that is read.
struct InputFile: ~Copyable {
  private let descriptor: Int32
  private let attempted: String
  /// The file's length when it was opened.
  let length: UInt64

  /// Opens a file; nil if there is none.
  init?(_ url: URL, attempted: String) throws {
    guard url.isFileURL else { throw GraphError(attempted, .inputOutput("the URL names no file")) }
    // A FIFO would be waited for.
    let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    let descriptor = SystemCalls.openFile(url.path(percentEncoded: false), flags)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw GraphError(attempted, .file(errno))
    }
    guard let status = SystemCalls.fileStatus(of: descriptor) else {
      let number = errno
      close(descriptor)
      throw GraphError(attempted, .file(number))
    }
    guard status.isRegular else {
      close(descriptor)
      throw GraphError(attempted, .notRegularFile)
    }
    self.descriptor = descriptor
    self.attempted = attempted
    length = UInt64(max(status.st_size, 0))
  }

  deinit { close(descriptor) }

  /// Fills the buffer with bytes at a place, as far as the file goes; returns their number.
  func read(_ wanted: Int, at place: Int, into buffer: inout ByteBuffer) throws -> Int {
    try buffer.fill(wanted) { bytes in
      var done = 0
      while done < wanted {
        let count = SystemCalls.readBytes(
          into: &bytes, from: done, of: descriptor, at: place + done)
        if count == 0 { break }
        if count > 0 {
          done += count
        } else if errno != EINTR {
          throw GraphError(attempted, .file(errno))
        }
      }
      return done
    }
    return buffer.count
  }
}
