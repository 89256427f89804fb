/// The bytes of one save, or those of a whole stored archive.
///
/// A save makes its chunk for one archive, behind the chunks that are there. So two archives with
/// the same chunk at the same place have the same bytes up to its end.
final class ArchiveChunk: Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }
}
