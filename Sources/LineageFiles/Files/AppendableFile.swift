package import Foundation

/// A regular file that is open for adding bytes at its end.
///
/// Symbolic links are not followed. Opening anything that is not a regular file, such as a FIFO or
/// a device, throws at once.
package struct AppendableFile: ~Copyable {
  private let file: OpenFile
  private let calls: FileCalls

  /// Opens an existing file. Throws if there is no file.
  package init(_ url: URL, probe: @escaping FileStep.Probe = { _ in 0 }) throws(FileError) {
    calls = FileCalls(probe: probe)
    file = try OpenFile(url.path(percentEncoded: false), O_WRONLY | O_NOFOLLOW, calls)
  }

  /// The file's length in bytes when it was opened.
  package var length: Int { file.length }

  /// Writes bytes at an offset from the file's start.
  ///
  /// The call does not wait for the disk. If it fails, some of the bytes may have been written.
  package func write(_ bytes: Span<UInt8>, at place: Int) throws(FileError) {
    try file.write(bytes, at: place, as: .append, calls)
  }

  /// Removes all bytes from an offset on, so that the file has the given length.
  package func truncate(to length: Int) throws(FileError) {
    try calls.perform(.truncate, on: file.path) { Int(ftruncate(file.descriptor, off_t(length))) }
  }

  /// Waits until the file is on the disk.
  package func sync() throws(FileError) {
    try calls.perform(.sync, on: file.path) { Int(SystemCalls.syncFile(file.descriptor)) }
  }
}
