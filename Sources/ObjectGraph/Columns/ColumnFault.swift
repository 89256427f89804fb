/// The error that a cell cannot become a property, or a property a cell.
package struct ColumnFault: Error {
  package let message: String
}
