package import Foundation
import LineageFiles

/// The bytes of a file that is read without any code of an app.
package struct InspectedFile {
  /// All bytes of the file.
  package let bytes: [UInt8]

  /// Reads a regular file; nil if there is no file. Throws an error at once for a FIFO, a socket or
  /// a device.
  ///
  /// - Throws: ``InspectionError`` if the file cannot be read or is larger than the limit.
  package init?(
    _ url: URL, followsLinks: Bool, limit: Int
  ) throws(InspectionError) {
    do {
      guard let file = try InputFile(url, followsLinks: followsLinks) else { return nil }
      guard file.length <= UInt64(limit) else {
        throw InspectionError("it has \(file.length) bytes, and the limit is \(limit)")
      }
      bytes = try file.bytes()
    } catch let error as InspectionError {
      throw error
    } catch let error as FileError {
      throw InspectionError("\(error.reason)")
    } catch {
      throw InspectionError("\(error)")
    }
  }
}

/// A reason why a file cannot be inspected.
package struct InspectionError: Error, Equatable {
  /// The reason, as the end of a sentence about the file.
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}
