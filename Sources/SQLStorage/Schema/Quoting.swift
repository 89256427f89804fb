/// Returns a name of the schema as SQL; the schema's check admits letters, digits and underscores only.
package func quoted(_ name: String) -> String { "\"\(name)\"" }
