package import Foundation

/// Returns the bytes of a file. The file may be empty.
///
/// The initializer `Data(contentsOf:)` leaks memory for an empty file, which the address sanitizer
/// would report.
package func fileBytes(_ url: URL) throws -> Data {
  let file = try FileHandle(forReadingFrom: url)
  guard try file.seekToEnd() > 0 else { return Data() }
  return try Data(contentsOf: url)
}
