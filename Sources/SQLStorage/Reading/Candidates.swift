import ObjectGraph

/// The rows that the SQL of a query lets through, as far as they meet the query's condition.
///
/// If the condition or the order reads rows through relations, 500 candidates are read at a time, and
/// the rows that they need are fetched together. Otherwise, each candidate is tested as it comes.
final class Candidates {
  private let reader: any SQLReader
  private let rows: any SelectedRows
  private let matcher: Matcher
  private let findings = Matcher.Findings()
  private let reach: Reach
  private let related: RelatedRows
  private let entity: Int
  /// The columns that the statement returns, after the id.
  private let columns: [Int]
  private let columnCount: Int
  private let cancellation: ReadCancellation
  private let limit: Int?
  /// The number of candidates that were read.
  private var count = 0
  private var batch: ArraySlice<Candidate> = []

  /// Begins to read the candidates of a query, with the columns that its condition, its order and a
  /// figure need, or with all columns.
  init(
    _ query: Query, reading figure: ResolvedPath? = nil, _ reader: any SQLReader,
    hasAllColumns: Bool = false
  ) throws {
    self.reader = reader
    entity = query.entity
    matcher = try Matcher(query.condition, entity: entity, model: reader.model)
    reach = try Reach(query, figure, model: reader.model)
    columnCount = reader.model.layouts[entity].columns.count
    columns = hasAllColumns ? Array(0..<columnCount) : reach.columns.sorted()
    cancellation = ReadCancellation(reader.terms)
    limit = reader.terms.runsToEnd ? nil : reader.readLimit
    related = RelatedRows(reader.model)
    let select = try Select(query, columns: columns, tables: reader.tables)
    rows = try reader.rows(select, of: entity)
  }

  /// Returns the next row that meets the condition; nil after the last one. It is valid until the
  /// next call.
  func next() throws -> Candidate? {
    repeat {
      while let candidate = batch.popFirst() {
        if try matcher.matches(candidate, findings) { return candidate }
      }
      try readBatch()
    } while !batch.isEmpty
    return nil
  }

  private func readBatch() throws {
    let size = reach.toOne.isEmpty && reach.toMany.isEmpty ? 1 : 500
    batch = []
    while batch.count < size, let id = try rows.next() {
      count += 1
      if cancellation.isCancelled { throw fault(.cancelled) }
      if let limit, count > limit { throw fault(.tooLong(steps: limit)) }
      var values = [StoredValue](repeating: .null, count: columnCount)
      for (index, column) in columns.enumerated() { values[column] = rows.cell(index + 1).stored }
      batch.append(Candidate(id: id, values: values, related: related))
    }
    if size > 1 { try related.fetch(for: Array(batch), reach, reader) }
  }

  private func fault(_ reason: GraphError.Reason) -> GraphError {
    GraphError("fetch \(reader.model.layouts[entity].name)", reason)
  }

  func close() { rows.close() }
}

/// A row that is tested in memory.
struct Candidate: RowSource {
  let id: Int64
  let values: [StoredValue]
  /// The rows to which relations lead. They are unowned, because they contain candidates themselves.
  unowned let related: RelatedRows

  func stored(column: Int) -> StoredValue { values[column] }

  func row(of entity: Int, id: Int64) -> Candidate? {
    related.rows(RelatedRows.Place(entity: entity, column: nil), of: id).first
  }

  func rows(of entity: Int, whereColumn column: Int, refersTo id: Int64) -> [Candidate] {
    related.rows(RelatedRows.Place(entity: entity, column: column), of: id)
  }
}

/// A cursor over the rows of a query of which SQL says only a part.
///
/// If SQL orders the rows, they are returned as they come. Otherwise, all candidates are ranked by
/// their keys, and the wanted rows are then read by their ids, 500 at a time.
final class CandidateCursor: RowCursor {
  private let reader: any SQLReader
  private let entity: Int
  private let candidates: Candidates?
  /// The number of rows that are still to be returned.
  private var rest: Int
  private var ids: ArraySlice<Int64> = []
  private var rows: ArraySlice<Candidate> = []
  private var current: Candidate?
  private let arena = CellArena()
  private var isOpen = true

  private init(_ query: Query, _ candidates: Candidates?, _ reader: any SQLReader) {
    self.reader = reader
    self.candidates = candidates
    entity = query.entity
    rest = max(query.limit ?? .max, 0)
    reader.hold()
  }

  /// Opens a cursor. `isOrdered` tells whether SQL orders the rows.
  static func open(_ query: Query, isOrdered: Bool, _ reader: any SQLReader) throws
    -> CandidateCursor
  {
    let offset = max(query.offset, 0)
    var all = query
    (all.limit, all.offset) = (nil, 0)
    let candidates = isOrdered ? try Candidates(all, reader, hasAllColumns: true) : nil
    let cursor = CandidateCursor(query, candidates, reader)
    guard let candidates else {
      cursor.ids = try sortedIDs(of: all, from: offset, cursor.rest, reader)
      return cursor
    }
    var skipped = 0
    while skipped < offset, cursor.rest > 0 {
      if try candidates.next() == nil { cursor.rest = 0 }
      skipped += 1
    }
    return cursor
  }

  deinit { close() }

  func next() throws -> Int64? {
    do {
      current = isOpen && rest > 0 ? try nextRow() : nil
    } catch {
      close()
      throw error
    }
    rest -= 1
    if current == nil { close() }
    return current?.id
  }

  private func nextRow() throws -> Candidate? {
    if let candidates { return try candidates.next() }
    if rows.isEmpty { try readRows() }
    return rows.popFirst()
  }

  func load(into cells: CellRow) {
    if let current { cells.load(current.values, arena) }
  }

  func close() {
    guard isOpen else { return }
    (isOpen, rest) = (false, 0)
    candidates?.close()
    reader.letGo()
  }

  /// Reads the next rows by their ids.
  private func readRows() throws {
    let next = ids.prefix(500)
    ids = ids.dropFirst(500)
    let query = Query(entity: entity, "id", isIn: next)
    var found: [Int64: Candidate] = [:]
    let all = try Candidates(query, reader, hasAllColumns: true)
    defer { all.close() }
    while let row = try all.next() { found[row.id] = row }
    rows = next.compactMap { found[$0] }[...]
  }

  /// Returns the ids of the rows of a query, in the query's order. The first rows are left out.
  private static func sortedIDs(
    of query: Query, from offset: Int, _ count: Int, _ reader: any SQLReader
  ) throws -> ArraySlice<Int64> {
    guard count > 0 else { return [] }
    let sorter = try Sorter(query.order, entity: query.entity, model: reader.model)
    let (end, isTooMuch) = offset.addingReportingOverflow(count)
    let wanted = isTooMuch ? Int.max : end
    let candidates = try Candidates(query, reader)
    defer { candidates.close() }
    var ranks: [Sorter.Rank] = []
    while let row = try candidates.next() {
      ranks.append(try sorter.rank(of: row))
      // At most twice as many ranks are kept as rows are wanted.
      guard ranks.count - 1_000 >= wanted, ranks.count - 1_000 - wanted >= wanted else { continue }
      ranks.sort(by: sorter.precedes)
      ranks.removeSubrange(wanted...)
    }
    ranks.sort(by: sorter.precedes)
    return ranks.prefix(wanted).dropFirst(offset).map(\.id)[...]
  }
}
