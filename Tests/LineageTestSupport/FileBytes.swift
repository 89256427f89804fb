package import Foundation

/// Returns the bytes of a file that may be empty.
///
/// Foundation's own initializer of `Data` leaks memory when it reads an empty file, which the
/// address sanitizer takes for a leak of ours.
package func fileBytes(_ url: URL) throws -> Data {
  let file = try FileHandle(forReadingFrom: url)
  guard try file.seekToEnd() > 0 else { return Data() }
  return try Data(contentsOf: url)
}
