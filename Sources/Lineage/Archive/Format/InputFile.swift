import Foundation
import ObjectGraph

/// A regular file that is read from its beginning.
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
    let descriptor = open(url.path(percentEncoded: false), flags)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw GraphError(attempted, .file(errno))
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
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

  /// Fills the buffer as far as the file goes; the number of bytes.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = Foundation.read(descriptor, rest.baseAddress, rest.count)
      if count == 0 { break }
      if count > 0 {
        done += count
      } else if errno != EINTR {
        throw GraphError(attempted, .file(errno))
      }
    }
    return done
  }
}
