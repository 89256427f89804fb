/// The part of a store's metadata that describes its schema.
package struct SchemaRecord: Hashable, Sendable {
  /// The version of the schema, which is the version of the last migration's step.
  package var version: Int
  /// The schema's shape as JSON.
  package var schema: String
  /// The hashes of all schemas that the store has had, from the oldest to the newest.
  package var hashes: [String]

  package init(version: Int, schema: String, hashes: [String]) {
    self.version = version
    self.schema = schema
    self.hashes = hashes
  }

  /// Creates the record of a new store.
  package init(_ shape: SchemaShape, version: Int) throws {
    self.init(version: version, schema: try shape.text, hashes: [shape.hash])
  }
}
