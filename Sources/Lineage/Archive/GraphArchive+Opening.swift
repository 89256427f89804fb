public import Foundation
import LineageFiles
import ObjectGraph

extension GraphArchive {
  /// Reads an archive into a draft, a small context without a store.
  ///
  /// The draft's objects have the ids that they had when they were archived. Change and save them
  /// again, or copy them into a store's context with ``copy(everythingIn:into:ids:)``.
  ///
  /// - Throws: `GraphError`: `schema` for mistakes in the entities, `inputOutput` if the file
  ///   cannot be read or is no regular file, such as a FIFO. Damage of the file itself is returned,
  ///   not thrown.
  /// - Complexity: O(objects). Beside the draft, it needs memory for one section, which is 128 KB
  ///   or one large value.
  public static func open(_ url: URL, _ entities: [any Entity.Type]) throws -> Opening {
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
