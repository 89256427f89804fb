/// Returns a name of the schema, quoted for SQL. Names contain no quotes, because the schema's
/// check allows only letters, digits and underscores.
package func quoted(_ name: String) -> String { "\"\(name)\"" }
