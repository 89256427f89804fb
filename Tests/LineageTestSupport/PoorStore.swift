package import ObjectGraph
package import SQLStorage

/// A store on the engine of another one, with a dialect that can say nothing but equality. It tests,
/// orders and adds up rows with the code that stores with SQL share, and must give equal answers.
package final class PoorStore: ForwardingStore {
  package let base: any ObjectStore

  /// Creates a store on one whose readers run SQL with parameters such as `?1`.
  package init(_ base: any ObjectStore) { self.base = base }

  package func makeReader() throws -> any StoreReader {
    let reader = try base.makeReader()
    guard let engine = reader as? any SQLReader else { preconditionFailure("It runs no SQL.") }
    return PoorReader(reader, engine)
  }

  package func observeForeignCommits() -> AnyObject? { base.observeForeignCommits() }
}

/// A reader of a ``PoorStore``. It counts the statements that it runs.
package final class PoorReader: ForwardingReader, SQLReader {
  package let base: any StoreReader
  private let engine: any SQLReader
  package let tables: SQLTables
  /// The number of statements so far.
  package private(set) var statements = 0

  fileprivate init(_ base: any StoreReader, _ engine: any SQLReader) {
    self.base = base
    self.engine = engine
    tables = SQLTables(engine.tables.model, in: Equality.self)
  }

  package var terms: ReadTerms { engine.terms }
  package var readLimit: Int? { engine.readLimit }

  package func cursor(_ query: Query) throws -> any RowCursor { try rows(of: query) }

  package func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue {
    try figure(aggregate, over: query)
  }

  package func counts(of query: Query, by column: Int) throws -> [StoredValue: Int] {
    try counts(over: query, by: column)
  }

  package func canPage(_ query: Query) throws -> Bool { try isWhole(query) }

  package func rows(_ select: Select, of entity: Int) throws -> any SelectedRows {
    statements += 1
    return try engine.rows(select, of: entity)
  }

  package func hold() { engine.hold() }

  package func letGo() { engine.letGo() }
}

/// The dialect that can say nothing but equality, with AND, OR and EXISTS around it.
package enum Equality: SQLDialect {
  package static let limits = SQLLimits(
    joins: 0, parameters: 1_000, bytes: 4_000, keys: 0, stack: 40, height: 120)
  package static let isSame = "IS"
  package static let isDifferent = "IS NOT"

  package static func columnType(of column: Column) -> String { "" }
  package static func placeholder(
    _ number: Int, for _: SQLParameter, as _: ColumnKind?
  ) -> String { "?\(number)" }
  package static func truth(_ value: Bool) -> String { value ? "1" : "0" }
  package static let comparesNumbersExactly = true
  package static func canCompare(_: ColumnKind, _: ColumnKind) -> Bool { true }
  package static func ordered(_: String, by _: ColumnOrder) -> String? { nil }

  package static func keyText(of _: String, in _: TextOrder) -> String? { nil }

  package static func isIn(
    _: String, _: [StoredValue], _: ColumnKind, _: inout SQLParameters
  ) -> String? { nil }

  package static func text(
    _ left: String, _ test: TextTest, _ text: String, _ options: TextOptions,
    _ parameters: inout SQLParameters
  ) -> String? {
    guard case .equals = test, options.isEmpty else { return nil }
    return "\(left) = \(parameters.bind(.value(.text(text)), as: .string))"
  }

  package static func key(_ expression: String, isDescending: Bool) -> String { expression }

  package static func window(
    limit: Int?, offset: Int, _ parameters: inout SQLParameters
  ) -> String {
    let limit = parameters.bind(.value(.integer(Int64(limit ?? -1))), as: .int)
    let offset = parameters.bind(.value(.integer(Int64(offset))), as: .int)
    return "LIMIT \(limit) OFFSET \(offset)"
  }

  package static func figure(_: Aggregate, of _: String, _: ColumnKind) -> String? { nil }
}
