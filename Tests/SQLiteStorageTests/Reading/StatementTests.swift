import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Statements that a program has written")
struct StatementTests {
  private let folder: Drawer
  private let store: SQLiteStore

  init() async throws {
    folder = try Drawer()
    store = try await SQLiteStore.open(at: folder.file(), StoreLaw.entities)
    try store.commit(
      (1...3).map { .insert(Ref(key: $0), Badge("b\($0)", code: Int($0)), in: store.model) },
      from: nil)
  }

  private func rows(_ statement: [StatementPiece]) throws -> [[StoredValue]] {
    let found = try store.makeReader().readRows(of: statement)
    defer { found.close() }
    let cells = CellRow(count: found.columns.count)
    var rows: [[StoredValue]] = []
    while try found.next() {
      found.load(into: cells)
      rows.append(found.columns.indices.map { cells[$0].stored })
    }
    return rows
  }

  @Test("Names are quoted, values are parameters, and reading ends early")
  func reads() throws {
    let badge = try #require(store.model.index(named: "Badge"))
    let statement: [StatementPiece] = [
      .sql("SELECT name, code, code * 1.5, NULL FROM "), .entity(badge), .sql(" WHERE "),
      .column(badge, 0), .sql(" > "), .value(.text("b1'; DROP TABLE x")), .sql(" ORDER BY id"),
    ]
    #expect(
      try rows(statement) == [
        [.text("b2"), .integer(2), .real(3), .null], [.text("b3"), .integer(3), .real(4.5), .null],
      ])
    let reader = try store.makeReader()
    let found = try reader.readRows(of: statement)
    #expect(found.columns == ["name", "code", "code * 1.5", "NULL"])
    #expect(found.entities == [badge])
    #expect(try found.next())
    #expect(try reader.ids(Query(entity: badge)).count == 3)
    found.close()
    #expect(try !found.next())
  }

  @Test(
    "What writes, or is not one statement, is refused",
    arguments: [
      "DELETE FROM Badge", "WITH a AS (SELECT 1) DELETE FROM Badge", "COMMIT", "ROLLBACK",
      "PRAGMA journal_mode = DELETE", "SELECT 1; SELECT 2", "SELECT 1; COMMIT", "", " ", "-- none",
      "ATTACH 'x' AS y", "EXPLAIN SELECT 1", "SELECT", "SELECT * FROM nothing",
    ])
  func refuses(_ sql: String) throws {
    #expect(throws: GraphError.self) { try rows([.sql(sql)]) }
    #expect(try rows([.sql("SELECT count(*) FROM Badge -- all")]) == [[.integer(3)]])
  }

  @Test("A store in memory has no statements")
  func memory() throws {
    let reader = try MemoryStore(StoreLaw.entities).makeReader()
    #expect(throws: GraphError.self) { try reader.readRows(of: [.sql("SELECT 1")]) }
  }
}
