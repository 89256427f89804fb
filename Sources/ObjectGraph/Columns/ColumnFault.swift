/// The error for a cell whose value a property cannot have, or for a property whose value a column
/// cannot keep.
package struct ColumnFault: Error {
  package let message: String
}
