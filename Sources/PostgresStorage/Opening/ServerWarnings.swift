#if Postgres
import ObjectGraph
import SQLStorage

/// The search for what may surprise in a server that can have the store. It is made only if somebody
/// hears of it.
struct ServerWarnings {
  let schema: StoreSchema
  let options: PostgresOptions

  /// Tells each warning as an event.
  func tell(_ connection: ServerConnection, _ deadline: Deadline) throws {
    guard let onEvent = options.onEvent else { return }
    let result = try connection.run([statement], until: deadline)[0]
    if result.cell(0, 0).stored.text == "off" {
      onEvent(.warning("the server keeps nothing safe from a power cut (fsync is off)"))
    }
    let (limit, needed) = (result.cell(0, 1).integer, options.maximumConnections + 2)
    if limit < needed {
      onEvent(
        .warning("the role may have \(limit) connections, and the store may need \(needed)"))
    }
    if let triggers = result.cell(0, 2).stored.text {
      onEvent(
        .warning("triggers may change what is saved, and nobody is told of it: \(triggers)"))
    }
  }

  private var statement: ServerStatement {
    let names = schema.shape.tables.map { "\"\($0.name)\"" }.joined(separator: ",")
    let sql = """
      SELECT current_setting('fsync'),
        (SELECT least(nullif(r.rolconnlimit, -1), nullif(d.datconnlimit, -1),
            current_setting('max_connections')::int)::bigint
          FROM pg_roles r, pg_database d
          WHERE r.rolname = current_user AND d.datname = current_database()),
        (SELECT string_agg(c.relname || '.' || t.tgname, ', ' ORDER BY c.relname, t.tgname)
          FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
          JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE NOT t.tgisinternal AND t.tgenabled <> 'D'
            AND n.nspname = $1 AND c.relname = ANY ($2::text[]))
      """
    return ServerStatement(
      sql, [.text(options.schema), .text("{\(names)}")], isKept: false)
  }
}
#endif
