package import ObjectGraph

/// The entities of a store with the names of their tables, as SQL.
package struct SQLTables: Sendable {
  package let model: Model
  /// The quoted name of each entity's table, with the name of the schema that has it, if there is one.
  package let names: [String]

  package init(_ model: Model, in schema: String? = nil) {
    self.model = model
    let prefix = schema.map { quoted($0) + "." } ?? ""
    names = model.layouts.map { prefix + quoted($0.name) }
  }
}
