public import Foundation
import LineageFiles
import ObjectGraph

extension GraphArchive {
  /// Reads an archive into a draft, a small context without a store.
  ///
  /// The draft's objects have the ids that they had when they were archived. Change them and save
  /// the draft as an archive again, or copy them into a store's context with
  /// ``copy(everythingIn:into:ids:)``.
  ///
  /// - Throws: `GraphError` with the reason `schema` for mistakes in the entities, or `inputOutput`
  ///   if the file cannot be read, is larger than the computer's memory, or is no regular file,
  ///   such as a FIFO. If the file is damaged, the function throws nothing and returns `damaged`.
  /// - Complexity: O(objects). While it reads, the whole file is in memory beside the draft.
  public static func open(_ url: URL, _ entities: [any Entity.Type]) throws -> OpenResult {
    let draft = try ObjectContext(draftOf: entities)
    do {
      guard let file = try InputFile(url) else { return .none }
      guard let format = try ArchivePreamble.format(of: file) else {
        throw Damage(file.length == 0 ? "it is empty" : "it is not a graph archive")
      }
      guard format == ArchivePreamble.currentFormat else { return .otherFormat(Int(format)) }
      let content = try content(of: file)
      return try content.withReader { reader in
        try reader.skip(ArchivePreamble.size)
        return .graph(try load(&reader, into: draft))
      }
    } catch let damage as Damage {
      return .damaged(damage)
    } catch let error as ByteError {
      return .damaged(Damage(error.description))
    } catch let error as FileError {
      throw GraphError("open the archive \(url.path(percentEncoded: false))", error)
    }
  }

  /// Returns the bytes of an archive, after the checksum at their end was found to be right. They
  /// are returned without this checksum.
  private static func content(of file: borrowing InputFile) throws -> [UInt8] {
    guard file.length <= ProcessInfo.processInfo.physicalMemory else {
      throw FileError("read the file", .system(ENOMEM))
    }
    var content = try file.bytes()
    let checksum = content.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    content.removeLast(min(4, content.count))
    guard Checksum.of(content.span) == checksum else {
      throw Damage("its checksum is wrong, because it was changed or cut")
    }
    return content
  }
}
