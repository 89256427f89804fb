/// One row while filters and orders look at it, with the rows around it.
package protocol RowSource {
  var id: Int64 { get }
  /// Returns the value that a column of the row holds.
  func stored(column: Int) throws -> StoredValue
  /// The row of another, or the same, entity with an id; nil if there is none.
  func row(of entity: Int, id: Int64) throws -> Self?
  /// The rows of an entity whose column refers to an id, in any order.
  func rows(of entity: Int, whereColumn column: Int, refersTo id: Int64) throws -> [Self]
  /// The number of these rows.
  func count(of entity: Int, whereColumn column: Int, refersTo id: Int64) throws -> Int
}

extension RowSource {
  /// The row at the end of to-one relations; nil if one on the way refers to none.
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

  /// Returns the value that a place holds, seen from this row.
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
