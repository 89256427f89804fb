/// The bytes that one save has written, or all bytes of an archive that was loaded.
///
/// Each save appends one chunk. If two archives have the same chunk object at the same index, their
/// bytes are equal up to the end of that chunk.
final class ArchiveChunk: Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }
}
