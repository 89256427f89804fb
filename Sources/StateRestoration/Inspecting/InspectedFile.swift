package import Foundation
import LineageFiles

/// The bytes of a file that is read without any code of an app.
package struct InspectedFile {
  /// All bytes of the file.
  package let bytes: [UInt8]

  /// The number of bytes that are read in one step.
  private static let step = 1 << 20

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
      var bytes: [UInt8] = []
      bytes.reserveCapacity(Int(file.length))
      var buffer = ByteBuffer(capacity: Self.step)
      // The file may have another length by now, because an app may be writing it.
      while bytes.count < limit {
        let wanted = min(Self.step, limit - bytes.count)
        guard try file.read(wanted, at: bytes.count, into: &buffer) > 0 else { break }
        bytes += buffer.bytes(from: 0)
      }
      self.bytes = bytes
    } catch let error as InspectionError {
      throw error
    } catch let error as FileError {
      throw InspectionError("\(error.isObstacle ? .notRegularFile : error.reason)")
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
