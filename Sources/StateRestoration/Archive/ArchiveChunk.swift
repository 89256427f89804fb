/// The bytes of one save, or those of a whole stored archive.
///
/// A save adds its chunk behind the chunks of one archive. So if two archives have the same chunk
/// object at the same index, their bytes are equal up to its end.
final class ArchiveChunk: Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }
}
