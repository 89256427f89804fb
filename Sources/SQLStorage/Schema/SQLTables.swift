package import ObjectGraph

/// The entities of a store, with the names of their tables and columns in the SQL of its engine.
package struct SQLTables: Sendable {
  package let model: Model
  package let dialect: any SQLDialect.Type
  /// The quoted name of each entity's table, with the name of the schema that has it, if there is one.
  package let names: [String]
  /// The quoted names of each entity's columns.
  let columns: [[String]]

  package init(_ model: Model, in dialect: any SQLDialect.Type, schema: String? = nil) {
    self.model = model
    self.dialect = dialect
    let prefix = schema.map { quoted($0) + "." } ?? ""
    names = model.layouts.map { prefix + quoted($0.name) }
    columns = model.layouts.map { $0.columns.map { quoted($0.name) } }
  }
}
