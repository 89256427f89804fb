import ObjectGraph

/// A table of a statement. The type is a class, because conditions add joins to the table.
package final class SelectSource {
  let entity: Int
  let alias: String
  fileprivate var joins: [(hop: ResolvedPath.Hop, source: SelectSource)] = []
  /// The number of tables joined to this table, directly or through other joins.
  fileprivate var joined = 0

  fileprivate init(_ entity: Int, _ alias: String) {
    self.entity = entity
    self.alias = alias
  }
}

/// A writer that collects the tables, joins and parameters of one statement.
package struct SelectWriter {
  private let tables: SQLTables
  var parameters: SQLParameters
  private var sourceCount = 0
  /// The number of bytes of SQL that were written for leaf conditions so far.
  var written = 0
  let limits: SQLLimits

  /// Whether a test of the condition was replaced by one that lets more rows through.
  var testsLess = false

  /// Whether the statement has reached its limits, so that no further test is written.
  var isFull: Bool { parameters.count >= limits.parameters || written >= limits.bytes }

  init(_ tables: SQLTables) {
    self.tables = tables
    parameters = SQLParameters(in: tables.dialect)
    limits = tables.dialect.limits
  }

  var model: Model { tables.model }
  var dialect: any SQLDialect.Type { tables.dialect }

  /// Adds a table to the statement and returns it.
  mutating func source(_ entity: Int) -> SelectSource {
    defer { sourceCount += 1 }
    return SelectSource(entity, "t\(sourceCount)")
  }

  /// Returns the SQL that selects columns of the rows that meet a query's condition.
  mutating func select(
    _ columns: [String], of root: SelectSource, _ query: Query
  ) throws -> String {
    let condition = try query.condition.map { try self.condition($0, of: root) }
    return "SELECT \(columns.joined(separator: ", ")) FROM \(from(root))"
      + (condition.map { " WHERE \($0)" } ?? "")
  }

  /// Returns the SQL of a column of a table.
  func name(_ column: Int, of source: SelectSource) -> String {
    "\(source.alias).\(tables.columns[source.entity][column])"
  }

  /// Returns the SQL of the table with its joins.
  func from(_ source: SelectSource) -> String {
    tables.names[source.entity] + " AS \(source.alias)" + joins(of: source)
  }

  private func joins(of source: SelectSource) -> String {
    source.joins.map { hop, target in
      " LEFT JOIN \(tables.names[target.entity]) AS \(target.alias)"
        + " ON \(target.alias).id = \(name(hop.column, of: source))" + joins(of: target)
    }.joined()
  }

  /// Returns the table at the end of to-one relations, and adds the joins that the statement lacks.
  /// Returns nil if the statement has no room for them.
  private mutating func source(
    behind hops: [ResolvedPath.Hop], of root: SelectSource
  ) -> SelectSource? {
    var end = root
    for (index, hop) in hops.enumerated() {
      if let joined = end.joins.first(where: { $0.hop == hop }) {
        end = joined.source
        continue
      }
      guard root.joined + hops.count - index <= limits.joins else { return nil }
      let target = source(hop.entity)
      end.joins.append((hop, target))
      root.joined += 1
      end = target
    }
    return end
  }

  /// Returns the SQL of a property; nil if its table cannot be joined.
  mutating func expression(_ place: ResolvedPath, of root: SelectSource) -> String? {
    guard let source = source(behind: place.hops, of: root) else { return nil }
    return place.column.map { name($0, of: source) } ?? "\(source.alias).id"
  }

  /// Returns the SQL of a property, in a form for comparisons in the property's order.
  mutating func ordered(_ place: ResolvedPath, of root: SelectSource) -> String? {
    expression(place, of: root).flatMap { dialect.ordered($0, by: place.order) }
  }

  /// Returns the SQL of a figure over a property, such as its sum; nil if there is none.
  mutating func figure(
    _ aggregate: Aggregate, of path: PropertyPath, _ root: SelectSource
  ) throws -> String? {
    let place =
      try aggregate.addsUp
      ? model.number(path, from: root.entity) : model.orderable(path, from: root.entity)
    return ordered(place, of: root).flatMap { dialect.figure(aggregate, of: $0, place.kind) }
  }

  /// Returns the SQL of an order's keys, with the id as the last key; nil if there is none.
  mutating func order(_ terms: [OrderTerm], of root: SelectSource) throws -> String? {
    let id = OrderTerm(property: PropertyPath(name: "id"), isDescending: false)
    var known: Set<OrderTerm> = []
    var keys: [String] = []
    var (isSayable, endsByID) = (true, false)
    for term in terms {
      let place = try model.orderable(term, from: root.entity)
      var plain = OrderTerm(property: term.property, isDescending: false)
      // A second key for the same property has no effect, and neither has a key after the id. But
      // rows that are equal in an order of texts may differ in another order of the same texts.
      guard !endsByID, term.textOrder == nil || !known.contains(plain) else { continue }
      plain.textOrder = term.textOrder
      guard known.insert(plain).inserted else { continue }
      endsByID = plain == id
      guard isSayable else { continue }
      if keys.count < limits.keys, let key = key(term, place, of: root) {
        keys.append(dialect.key(key, isDescending: term.isDescending))
      } else {
        isSayable = false
      }
    }
    if !endsByID { keys.append("\(root.alias).id") }
    return isSayable ? keys.joined(separator: ", ") : nil
  }

  /// Returns the SQL of the values by which a key orders rows; nil if there is none.
  private mutating func key(
    _ term: OrderTerm, _ place: ResolvedPath, of root: SelectSource
  ) -> String? {
    guard let order = term.textOrder else { return ordered(place, of: root) }
    return expression(place, of: root).flatMap { dialect.keyText(of: $0, in: order) }
  }

  /// Adds a value of a property as a parameter, and returns its placeholder in the SQL of the statement.
  mutating func bind(_ value: StoredValue, as kind: ColumnKind) -> String {
    parameters.bind(.value(value), as: kind)
  }
}
