import ObjectGraph

extension Opener {
  /// Makes the file's schema that of the program; nil if it is already.
  func bringUpToDate(
    _ metadata: inout Metadata, _ connection: Connection, isReadOnly: Bool
  ) throws -> Migrated? {
    let text = try SchemaShape(model).text
    guard metadata.hashes.last != SchemaHash.of(text) || metadata.version != version else {
      return nil
    }
    throw Refusal(opening: .changed([]))
  }
}
