#if Postgres
import Foundation
import ObjectGraph
import SQLStorage

/// The rows of a statement that a program has written.
///
/// The server plans the statement first, so that the tables are known which it reads. The moment is one
/// for reading only, so the statement cannot write.
final class ProgramRows: StatementRows {
  let columns: [String]
  let entities: [Int]?
  private let rows: ServerRows
  private var isFirst = true

  init(
    _ select: Select, _ declared: Set<Int>, _ server: Server, _ moment: ServerMoment,
    _ cancellation: ReadCancellation
  ) throws {
    let attempted = "run \(select.sql)"
    var parameters = ServerParameters()
    for case .value(let value) in select.parameters { parameters.addUntyped(value) }
    let plan = try server.reading(attempted) {
      do {
        return try moment.run([
          ServerStatement(
            "EXPLAIN (VERBOSE, FORMAT JSON) \(select.sql)", parameters, isKept: false)
        ])[0]
      } catch let fault as ServerFault where !fault.isLost {
        throw GraphError(attempted, .statement(fault.message))
      }
    }
    let read = try Self.entities(in: plan, server)
    if let name = read.subtracting(declared).min().map({ server.entities[$0].name }) {
      throw GraphError(
        attempted,
        .statement(
          "it reads \(name) without naming it by \\(\(name).self), so nobody knows when it must be"
            + " read again"))
    }
    rows = try ServerRows(
      ServerStatement(select.sql, parameters), attempted, server, moment, cancellation, of: nil,
      limit: server.options.readLimit)
    columns = rows.columns
    entities = declared.sorted()
    if let name = rows.unreadableColumn {
      rows.close()
      throw GraphError(
        attempted,
        .statement("the column \(name) has a type that no property has; convert it by CAST"))
    }
  }

  /// Returns the entities whose tables a plan reads.
  private static func entities(in plan: ServerResult, _ server: Server) throws -> Set<Int> {
    guard let text = plan.cell(0, 0).stored.text else { return [] }
    var names: Set<String> = []
    func collect(_ part: Any) {
      if let list = part as? [Any] { for part in list { collect(part) } }
      guard let node = part as? [String: Any] else { return }
      if let name = node["Relation Name"] as? String,
        node["Schema"] as? String == server.options.schema
      {
        names.insert(name)
      }
      for part in node.values { collect(part) }
    }
    collect(try JSONSerialization.jsonObject(with: Data(text.utf8)))
    return Set(server.entities.indices.filter { names.contains(server.entities[$0].name) })
  }

  func next() throws -> Bool { try rows.next() != nil }

  func load(into cells: CellRow) {
    for column in columns.indices { cells[column] = rows.cell(column) }
  }

  func close() { rows.close() }
}
#endif
