#if Postgres
import ObjectGraph
import SQLStorage

/// The tables, indexes and references in a schema of the server, as the server lists them.
struct ServerCatalog {
  /// A column of a table, or a table without columns.
  struct FoundColumn {
    let table, kind, persistence: String
    let hidesRows: Bool
    let name: String
    /// The type, as the store names it.
    let type: String
    let isRequired: Bool
    let collation: String
    /// Whether a row that is inserted without a value gets one.
    let hasDefault: Bool
  }

  struct FoundIndex {
    let table, name: String
    let isUnique, isValid, isImmediate: Bool
    /// The names of the columns, separated by dots.
    let columns: String
    let isPartial: Bool
  }

  struct FoundReference {
    let table, column, target: String
    let isDeferred, isValid: Bool
    /// The letter for the rule for deletions; `a` for none.
    let deletion: String
    let name: String
  }

  let columns: [FoundColumn]
  let indexes: [FoundIndex]
  let references: [FoundReference]

  init(_ schema: String, _ connection: ServerConnection, until deadline: Deadline) throws {
    let statements = [Self.columns, Self.indexes, Self.references].map {
      ServerStatement($0, [.text(schema)])
    }
    let results = try connection.run(statements, until: deadline).map(\.texts)
    columns = results[0].map { row in
      FoundColumn(
        table: row[0], kind: row[1], persistence: row[2], hidesRows: row[3] == "1", name: row[4],
        type: row[5] == "double precision" ? "float8" : row[5], isRequired: row[6] == "1",
        collation: row[7], hasDefault: row[8] == "1")
    }
    indexes = results[1].map { row in
      FoundIndex(
        table: row[0], name: row[1], isUnique: row[2] == "1", isValid: row[3] == "1",
        isImmediate: row[4] == "1", columns: row[5], isPartial: row[6] == "1")
    }
    references = results[2].map { row in
      FoundReference(
        table: row[0], column: row[1], target: row[2], isDeferred: row[3] == "1",
        isValid: row[4] == "1", deletion: row[5], name: row[6])
    }
  }

  private static let columns = """
    SELECT c.relname::text, c.relkind::text, c.relpersistence::text, c.relrowsecurity,
      a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull, l.collname::text,
      a.atthasdef OR a.attidentity <> ''
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_collation l ON l.oid = a.attcollation
    WHERE n.nspname = $1 AND c.relkind NOT IN ('i', 'I', 'S', 't', 'c') ORDER BY 1, a.attnum
    """

  private static let indexes = """
    SELECT c.relname::text, x.relname::text, i.indisunique, i.indisvalid, i.indimmediate,
      (SELECT string_agg(coalesce(a.attname::text, ''), '.' ORDER BY k.place)
        FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place)
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number),
      i.indpred IS NOT NULL
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1
    """

  private static let references = """
    SELECT c.relname::text, a.attname::text, t.relname::text, o.condeferred, o.convalidated,
      o.confdeltype::text, o.conname::text
    FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_class t ON t.oid = o.confrelid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = o.conkey[1]
    WHERE o.contype = 'f' AND n.nspname = $1 AND cardinality(o.conkey) = 1
    """
}

extension ServerResult {
  /// All cells as texts. A null is an empty text.
  var texts: [[String]] {
    (0..<rowCount).map { row in
      (0..<columnCount).map { column in
        switch cell(row, column).stored {
        case .text(let text): text
        case .integer(let integer): "\(integer)"
        case .null, .real, .blob: ""
        }
      }
    }
  }
}
#endif
