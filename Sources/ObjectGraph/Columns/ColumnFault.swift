/// The error of a cell whose value does not fit the property, or of a property whose value does not
/// fit a cell.
package struct ColumnFault: Error {
  package let message: String
}
