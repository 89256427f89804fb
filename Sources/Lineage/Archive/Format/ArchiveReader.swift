import Foundation
import LineageFiles
import ObjectGraph

/// A reader of a graph archive. It reads one section after the other, and passes on a section only
/// if its checksum is right.
final class ArchiveReader {
  private let file: InputFile
  private var position = 0
  private var totals = ArchiveTotals()
  /// The version of the file's format. If it is newer than the current one, only the preamble was
  /// read.
  let format: UInt32

  /// Opens a file and reads its beginning. Returns nil if there is no file.
  init?(_ url: URL) throws {
    guard let file = try InputFile(url) else { return nil }
    let beginning = ArchivePreamble.size + ArchiveTotals.size
    let memory = try file.bytes(first: beginning)
    if memory.isEmpty { throw GraphArchive.Damage("preamble", at: 0, "the file is empty") }
    (format, totals) = try memory.withReader { reader in
      let preamble = try Damaged.named("preamble", at: 0) { try ArchivePreamble(&reader) }
      guard preamble.format <= ArchivePreamble.current else {
        return (preamble.format, ArchiveTotals())
      }
      let totals = try Damaged.named("totals", at: ArchivePreamble.size) {
        try ArchiveTotals(&reader)
      }
      return (preamble.format, totals)
    }
    guard format > ArchivePreamble.current || totals.length == file.length else {
      throw GraphArchive.Damage(
        "file", at: Int(clamping: min(totals.length, file.length)),
        "it has \(file.length.of("byte")) and should have \(totals.length)")
    }
    position = beginning
    self.file = file
  }

  /// Calls a closure with each section's head and content. If the closure throws `Malformed`, the
  /// error becomes a `Damage` of the section.
  func forEachSection(
    _ body: (SectionHead, inout ByteReader) throws -> Void
  ) throws {
    for place in 0..<totals.sections {
      let start = position
      try Damaged.named("section \(place + 1) of \(totals.sections)", at: start) {
        let (head, checksum) = try readHead()
        let content = try readContent(head.length)
        try head.verify(checksum, at: place, content.span)
        try content.withReader { reader in
          try body(head, &reader)
          guard reader.isAtEnd else {
            throw Malformed(
              message: "it should end at its byte \(reader.position), but goes on")
          }
        }
      }
    }
    guard position == totals.length else {
      throw GraphArchive.Damage("file", at: position, "more follows the last section")
    }
  }

  private func readHead() throws -> (SectionHead, checksum: UInt32) {
    let bytes = try file.bytes(first: SectionHead.size, at: position)
    position += bytes.count
    return try bytes.withReader { try SectionHead.read(&$0) }
  }

  /// Reads a section's content, after checking that the file is long enough for it.
  private func readContent(_ length: UInt64) throws -> [UInt8] {
    guard length <= totals.length - UInt64(position) else {
      throw Malformed(message: "it claims \(length.of("byte")), more than the file has left")
    }
    let content = try file.bytes(first: Int(length), at: position)
    position += content.count
    guard content.count == Int(length) else {
      throw Malformed(message: "the file ended while it was read")
    }
    return content
  }
}

/// An error for bytes that cannot be read as a part of an archive, even if their checksum is right.
struct Malformed: Error {
  let message: String
}

/// The conversion of an error in reading bytes into a `Damage`, which names the place in the file.
enum Damaged {
  /// Runs a closure. If it throws `Malformed` or a `ByteError`, throws a `Damage` of the given
  /// place instead.
  static func named<Result>(
    _ place: String, at offset: Int, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as Malformed {
      throw GraphArchive.Damage(place, at: offset, error.message)
    } catch let error as ByteError {
      throw GraphArchive.Damage(place, at: offset, error.description)
    }
  }
}
