/// The part of a store's metadata that says which schema it has.
package struct SchemaRecord: Hashable, Sendable {
  /// The version of the schema, by the program's migrations.
  package var version: Int
  /// The text of the schema's shape.
  package var schema: String
  /// The hashes of all schemas the store ever had, oldest first.
  package var hashes: [String]

  package init(version: Int, schema: String, hashes: [String]) {
    self.version = version
    self.schema = schema
    self.hashes = hashes
  }

  /// The record of a new store.
  package init(_ shape: SchemaShape, version: Int) throws {
    self.init(version: version, schema: try shape.text, hashes: [shape.hash])
  }
}
