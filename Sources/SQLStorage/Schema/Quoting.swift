/// Returns a name of the schema, quoted for SQL. It contains no quote, because the schema's check
/// admits only letters, digits and underscores.
package func quoted(_ name: String) -> String { "\"\(name)\"" }
