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
  ///   if the file cannot be read or is no regular file, such as a FIFO. If the file is damaged,
  ///   the function throws nothing and returns `damaged`.
  /// - Complexity: O(objects). In addition to the draft, it needs memory for one section, which has
  ///   about 128 KB unless a single value is larger.
  public static func open(_ url: URL, _ entities: [any Entity.Type]) throws -> OpenResult {
    let draft = try ObjectContext(draftOf: entities)
    do {
      guard let reader = try ArchiveReader(url) else { return .none }
      guard reader.format <= ArchivePreamble.current else {
        return .newer(format: Int(reader.format))
      }
      let loader = GraphLoader(into: draft)
      try reader.forEachSection { try loader.load($0, &$1) }
      return .graph(try loader.finish())
    } catch let damage as Damage {
      return .damaged(damage)
    } catch let error as FileError {
      throw GraphError("open the archive \(url.path(percentEncoded: false))", error)
    }
  }
}
