#if Postgres
import ObjectGraph
import SQLStorage

/// The facts in the table `state` about a store.
struct StoreState {
  let id: String
  /// The oldest version of a program that may use the store.
  let oldest: Int
  var schema: SchemaRecord

  /// Returns the SQL that reads the facts from the quoted schema of the store's own tables.
  static func query(_ own: String) -> String {
    "SELECT store, schema_version, schema_shape, schema_hashes, oldest FROM \(own).state"
  }

  init?(_ result: ServerResult) {
    guard result.rowCount == 1, let id = result.cell(0, 0).stored.text,
      let shape = result.cell(0, 2).stored.text, let hashes = result.cell(0, 3).stored.text
    else { return nil }
    self.id = id
    oldest = Int(result.cell(0, 4).integer)
    schema = SchemaRecord(
      version: Int(result.cell(0, 1).integer), schema: shape,
      hashes: hashes.split(separator: " ").map(String.init))
  }

  /// The element between the hashes of schemas that programs may no longer use, and of those that they
  /// may: after it, the store's schema has only got more.
  static let bar = "|"

  /// Returns whether a program may use the store as it is: because the store has the program's schema, or
  /// has had it and has only got more since.
  func fits(_ version: Int, _ hash: String) -> Bool {
    let usable = schema.hashes.split(separator: Self.bar).last ?? []
    return version >= oldest && version <= schema.version && usable.contains(hash)
  }
}
#endif
