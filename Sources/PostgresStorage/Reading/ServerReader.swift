#if Postgres
import ObjectGraph
import SQLStorage

/// A reader of a server's rows for one context.
final class ServerReader: StoreReader {
  private let server: Server
  /// The store, which stays open as long as somebody can read.
  private let store: AnyObject
  let transaction: ServerMoment
  private let arena = CellArena()
  private(set) var terms = ReadTerms()
  /// The rows that were announced or read in advance. They are valid in their moment only.
  private var announced = AnnouncedRows()
  /// The answer with the row that was read last. The cells of the row are in its memory.
  private var last: ServerResult?
  /// The query with which the next moment begins; nil if none was announced.
  private var announcedQuery: Query?
  /// The cursor that was opened when the moment began, until the context asks for it.
  private var opened: (query: Query, rows: any RowCursor)?
  /// Whether the query that is being opened has so few rows that it needs no cursor of the server.
  private var isOnePage = false

  init(_ server: Server, keeping store: AnyObject) {
    self.server = server
    self.store = store
    transaction = ServerMoment(server.pool, server.news)
  }

  func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool {
    let table = server.entities[entity]
    return try server.reading("read \(table.object(id))") {
      if let found = announced.place(of: id, entity, in: moment) {
        return load(found, into: cells)
      }
      let room = table.pageRows ?? ServerTable.mostPageRows
      let ids = announced.take(id, of: entity, atMost: room)
      guard ids.count > 1 else {
        let statement = ServerStatement(table.selectRow, [.integer(id)])
        let result = try transaction.run([statement])[0]
        last = result
        return result.rowCount > 0 && load(AnnouncedRows.Place(found: (result, 0)), into: cells)
      }
      let statement = ServerStatement(table.selectRows, ServerParameters(ids: ids))
      let result = try transaction.run([statement], ReadCancellation(terms))[0]
      table.noteSize(result)
      announced.keep(result, ids, of: entity, in: moment, atMost: room)
      return load(announced.kept(id, entity), into: cells)
    }
  }

  private func load(_ place: AnnouncedRows.Place, into cells: CellRow) -> Bool {
    guard let (result, row) = place.found else { return false }
    result.forgetCells()
    result.load(row, into: cells)
    return true
  }

  func announce(_ ids: [Int64], of entity: Int) { announced.announce(ids, of: entity) }

  func announce(_ query: Query) { announcedQuery = query }

  func cursor(_ query: Query) throws -> any RowCursor {
    announcedQuery = nil
    guard let ready = opened else { return try open(query) }
    opened = nil
    if ready.query == query { return ready.rows }
    ready.rows.close()
    return try open(query)
  }

  private func open(_ query: Query) throws -> any RowCursor {
    let room = server.entities[query.entity].pageRows ?? 0
    isOnePage = query.idCount.map { $0 <= room } ?? false
    defer { isOnePage = false }
    return try rows(of: query)
  }

  func aggregate(_ aggregate: Aggregate, of query: Query) throws -> StoredValue {
    try figure(aggregate, over: query)
  }

  func counts(of query: Query, by column: Int) throws -> [StoredValue: Int] {
    try counts(over: query, by: column)
  }

  func canPage(_ query: Query) throws -> Bool { try isWhole(query) }

  func readRows(of statement: [StatementPiece]) throws -> any StatementRows {
    let select = Select(statement, tables: tables)
    let declared = statement.compactMap { piece -> Int? in
      switch piece {
      case .entity(let entity), .column(let entity, _): entity
      case .sql, .value, .values: nil
      }
    }
    return try ProgramRows(
      select, Set(declared), server, transaction, ReadCancellation(terms))
  }

  var moment: Int { transaction.number }

  func begin() throws {
    if let query = announcedQuery.take(), moment == 0, opened == nil {
      opened = (query, try open(query))
    }
    try server.reading("read") { try transaction.begin() }
  }

  func end() {
    opened?.rows.close()
    (opened, announcedQuery) = (nil, nil)
    (announced, last) = (AnnouncedRows(), nil)
    transaction.end()
  }

  func setTerms(_ terms: ReadTerms) {
    switch (self.terms.keepsMoment, terms.keepsMoment) {
    case (false, true): transaction.hold()
    case (true, false): transaction.letGo()
    default: break
    }
    self.terms = terms
  }
}

extension ServerReader: SQLReader {
  var tables: SQLTables { server.tables }
  var readLimit: Int? { server.options.readLimit }

  func hold() { transaction.openCursor() }

  func letGo() { transaction.closeCursor() }

  func rows(_ select: Select, of entity: Int) throws -> any SelectedRows {
    let table = server.entities[entity]
    let attempted = "fetch \(table.name)"
    var parameters = ServerParameters()
    for parameter in select.parameters { parameters.add(parameter) }
    return try ServerRows(
      ServerStatement(select.sql, parameters), attempted, server, transaction,
      ReadCancellation(terms), of: table, limit: readLimit, isOnePage: isOnePage)
  }
}

extension Query {
  /// The greatest number of rows that a query by ids returns; nil for other queries.
  fileprivate var idCount: Int? {
    guard case .leaf(let leaf)? = condition?.form else { return nil }
    return switch leaf {
    case .isIn(PropertyPath(name: "id"), let ids): ids.count
    case .compare(PropertyPath(name: "id"), .equal, _): 1
    default: nil
    }
  }
}

extension ServerParameters {
  fileprivate mutating func add(_ parameter: SQLParameter) {
    switch parameter {
    case .value(let value): add(value)
    case .bytes(let bytes): addUntyped(text: bytes)
    case .list(let values): add(ServerArray(values))
    case .test: preconditionFailure("the dialect has no function to which it could pass a test")
    }
  }
}
#endif
