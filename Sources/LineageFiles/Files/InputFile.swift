package import Foundation

/// A regular file that is open for reading.
package struct InputFile: ~Copyable {
  private let file: OpenFile
  private let calls: FileCalls

  /// Opens a file for reading. Returns nil if there is no file.
  ///
  /// If `followsLinks` is false, throws `notRegularFile` for a symbolic link.
  package init?(
    _ url: URL, followsLinks: Bool = true, probe: @escaping FileStep.Probe = { _ in 0 }
  ) throws(FileError) {
    guard url.isFileURL else { throw FileError("open \(url)", .notAFile) }
    let calls = FileCalls(probe: probe)
    do throws(FileError) {
      file = try OpenFile(
        url.path(percentEncoded: false), O_RDONLY | (followsLinks ? 0 : O_NOFOLLOW), calls)
    } catch {
      if error.reason == .system(ENOENT) || error.reason == .system(ENOTDIR) { return nil }
      throw error
    }
    self.calls = calls
  }

  /// The file's length in bytes when it was opened.
  package var length: UInt64 { UInt64(file.length) }

  /// Returns the bytes of the file from an offset on, at most `wanted`. Bytes that were added after
  /// the file was opened are not read. If the file was made shorter, fewer bytes are returned.
  package func bytes(first wanted: Int = .max, at place: Int = 0) throws(FileError) -> [UInt8] {
    try file.bytes(min(wanted, file.length - place), at: place, calls)
  }
}
