/// A row that filters and orders read, with access to related rows.
///
/// Stores and contexts have conforming types of rows. So matchers and sorters work with rows from
/// any source.
package protocol RowSource {
  var id: Int64 { get }
  /// Returns the value of a column.
  func stored(column: Int) throws -> StoredValue
  /// Returns the row of an entity with an id; nil if there is none.
  func row(of entity: Int, id: Int64) throws -> Self?
  /// Returns the rows of an entity that refer to an id by the given column, in any order.
  func rows(of entity: Int, whereColumn column: Int, refersTo id: Int64) throws -> [Self]
  /// Returns the number of rows of an entity that refer to an id by the given column.
  func count(of entity: Int, whereColumn column: Int, refersTo id: Int64) throws -> Int
}

extension RowSource {
  /// Returns the row at the end of to-one relations; nil if one of the relations refers to no row.
  func row(behind hops: [ResolvedPath.Hop]) throws -> Self? {
    var row = self
    for hop in hops {
      guard case .integer(let id) = try row.stored(column: hop.column),
        let next = try row.row(of: hop.entity, id: id)
      else { return nil }
      row = next
    }
    return row
  }

  /// Returns the value at the end of a path from this row; null if a relation of the path refers to
  /// no row.
  package func stored(at place: ResolvedPath) throws -> StoredValue {
    guard let row = place.hops.isEmpty ? self : try row(behind: place.hops) else { return .null }
    guard let column = place.column else { return .integer(row.id) }
    return try row.stored(column: column)
  }

  package func count(
    of entity: Int, whereColumn column: Int, refersTo id: Int64
  ) throws -> Int {
    try rows(of: entity, whereColumn: column, refersTo: id).count
  }
}
