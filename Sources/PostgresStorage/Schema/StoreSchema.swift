#if Postgres
import Foundation
import ObjectGraph
import SQLStorage

/// The SQL that creates a store's tables.
struct StoreSchema {
  let model: Model
  let shape: SchemaShape
  let schema: String
  let own: String
  private let tables: SQLTables

  init(_ model: Model, _ options: PostgresOptions) {
    self.model = model
    shape = SchemaShape(model, in: PostgresDialect.self)
    schema = options.schema
    own = quoted(options.ownSchema)
    tables = SQLTables(model, in: PostgresDialect.self, schema: options.schema)
  }

  /// The statements that create the store's own tables.
  ///
  /// - `state` has one row: the store's id, its schema, how far the log was cleaned, and until when a
  ///   program asks the others to end their moments, so that it can change the tables.
  /// - `log` has a row for each commit, with the ids that it changed; null if they are too many.
  /// - `epoch` names the server's run. A crash empties it.
  /// - `receipts` notes which edits of a context were saved last.
  var ownTables: [String] {
    [
      "CREATE SCHEMA IF NOT EXISTS \(own)",
      """
      CREATE TABLE \(own).state (
        one boolean PRIMARY KEY DEFAULT true CHECK (one),
        horizon xid8 NOT NULL DEFAULT '0', next_horizon xid8 NOT NULL DEFAULT '0',
        cleaned timestamptz NOT NULL DEFAULT now(),
        gate timestamptz NOT NULL DEFAULT '-infinity',
        store text NOT NULL, system bigint NOT NULL, oldest int NOT NULL,
        schema_version int NOT NULL, schema_shape text NOT NULL, schema_hashes text NOT NULL)
      """,
      """
      CREATE TABLE \(own).log (
        xid xid8 NOT NULL DEFAULT pg_current_xact_id() PRIMARY KEY,
        id uuid NOT NULL UNIQUE, ids bytea)
      WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)
      """,
      """
      CREATE UNLOGGED TABLE \(own).epoch (
        one boolean PRIMARY KEY DEFAULT true CHECK (one), id uuid NOT NULL)
      """,
      """
      CREATE TABLE \(own).receipts (
        id uuid PRIMARY KEY, count bigint NOT NULL, date float8 NOT NULL)
      """,
      """
      CREATE FUNCTION \(own).news(since xid8, pending xid8[], OUT snapshot text,
        OUT horizon xid8, OUT epoch text, OUT xid xid8, OUT id uuid, OUT ids bytea,
        OUT gate boolean, OUT oldest int)
      RETURNS SETOF record LANGUAGE plpgsql STABLE
      SET plan_cache_mode = force_generic_plan AS $$ BEGIN RETURN QUERY
        \(Self.newsQuery(in: own, since: "since", pending: "pending")); END $$
      """,
    ]
  }

  /// Returns the SQL of the query for what was committed since a snapshot. `pending` is nil if no
  /// transaction before the snapshot's end was pending.
  ///
  /// The first row has the present snapshot, the horizon of the log, the name of the server's run, whether
  /// somebody waits for the gate, and the oldest version of a program that may read. Each further row has
  /// the transaction, the id and the changed ids of a commit.
  static func newsQuery(in own: String, since: String, pending: String?) -> String {
    let rows =
      "SELECT NULL, NULL, NULL, l.xid, l.id, l.ids, NULL, NULL FROM \(own).log l WHERE l.xid"
    return """
      SELECT pg_current_snapshot()::text AS snapshot, s.horizon,
        (SELECT e.id || ':' || e.tableoid FROM \(own).epoch e) AS epoch,
        NULL::xid8 AS xid, NULL::uuid AS id, NULL::bytea AS ids,
        s.gate > clock_timestamp() AS gate, s.oldest FROM \(own).state s
      UNION ALL (\(rows) BETWEEN \(since) AND '\(UInt64.max)'::xid8 LIMIT 5001)
      """ + (pending.map { "\nUNION ALL \(rows) = ANY (\($0))" } ?? "")
  }

  /// The statements that create the entities' tables, with their references and indexes.
  var entityTables: [String] {
    let names = shape.tables.map(name)
    return zip(shape.tables, names).map { create($0, $1) }
      + shape.tables.flatMap { table in table.columns.compactMap { reference($0, of: table) } }
      + shape.tables.flatMap { table in table.allIndexes.map { index($0, of: table) } }
  }

  /// The statements that create everything in an empty database.
  var creation: [String] {
    ["CREATE SCHEMA IF NOT EXISTS \(quoted(schema))"] + ownTables + entityTables
  }

  /// The statement that writes the first state. Its parameters are the store's id, the schema as JSON,
  /// the schema's hash, and its version.
  var firstState: String {
    "INSERT INTO \(own).state (store, schema_shape, schema_hashes, schema_version, oldest, system)"
      + " SELECT $1, $2, $3, $4, $4, system_identifier FROM pg_control_system()"
  }

  var firstEpoch: String { "INSERT INTO \(own).epoch (id) VALUES (gen_random_uuid())" }

  /// The rights that a program needs, by table.
  var rights: [(table: String, rights: [String])] {
    shape.tables.map { (name($0), ["SELECT", "INSERT", "UPDATE", "DELETE"]) }
      + [
        ("\(own).log", ["SELECT", "INSERT", "DELETE"]), ("\(own).state", ["SELECT", "UPDATE"]),
        ("\(own).epoch", ["SELECT", "INSERT", "DELETE"]),
        ("\(own).receipts", ["SELECT", "INSERT", "UPDATE", "DELETE"]),
      ]
  }

  /// Returns the SQL that creates everything in a version, and grants a role what the program needs.
  func script(for role: String, version: Int) throws -> String {
    let role = "\"\(role.replacing("\"", with: "\"\""))\""
    let values = ["gen_random_uuid()::text", try shape.text, shape.hash]
    let texts = [values[0]] + values[1...].map { "'\($0.replacing("'", with: "''"))'" }
    var state = firstState
    for (place, text) in texts.enumerated() { state = state.replacing("$\(place + 1)", with: text) }
    let grants =
      ["GRANT USAGE ON SCHEMA \(quoted(schema)), \(own) TO \(role)"]
      + rights.map { "GRANT \($0.rights.joined(separator: ", ")) ON \($0.table) TO \(role)" }
      + ["GRANT EXECUTE ON FUNCTION \(own).news(xid8, xid8[]) TO \(role)"]
    let statements =
      ["BEGIN"] + creation + [state.replacing("$4", with: "\(version)"), firstEpoch] + grants
      + ["COMMIT"]
    return statements.map { $0 + ";\n" }.joined()
  }

  func name(_ table: TableShape) -> String { quoted(schema) + "." + quoted(table.name) }

  func create(_ table: TableShape, _ name: String) -> String {
    let columns = table.columns.map { ", \(definition($0))" }.joined()
    return "CREATE TABLE \(name) (id bigint PRIMARY KEY\(columns))"
  }

  /// Returns the statement that adds a column with a value for the rows that exist, and for those of older
  /// programs, which do not know the column. The server does not write the rows.
  func add(_ column: ColumnShape, to table: String, _ value: StoredValue?) -> String {
    let text: String? =
      switch value {
      case .integer(let integer): "\(integer)"
      case .real(let real): "\(real)"
      case .text(let text): EscapedText.escape(text).replacing("'", with: "''")
      case .blob(let bytes): "\\x\(bytes.hex)"
      case .null, nil: nil
      }
    return "ALTER TABLE \(quoted(schema)).\(quoted(table)) ADD COLUMN IF NOT EXISTS"
      + " \(definition(column))\(text.map { " DEFAULT '\($0)'" } ?? "")"
  }

  /// Returns a column's definition. Texts are compared by their bytes, as everywhere in the package.
  func definition(_ column: ColumnShape) -> String {
    let collation = column.storage == "text" ? " COLLATE \"C\"" : ""
    return quoted(column.name) + " \(column.storage)\(collation)"
      + (column.isOptional ? "" : " NOT NULL")
  }

  /// Returns the statement that makes a column refer to a table. References are checked at the commit,
  /// so that objects which refer to each other can be saved in any order.
  func reference(
    _ column: ColumnShape, of table: TableShape, isNamed: Bool = true
  ) -> String? {
    guard let target = column.target else { return nil }
    let name = isNamed ? "CONSTRAINT \(quoted(referenceName(column, of: table))) " : ""
    return "ALTER TABLE \(self.name(table)) ADD \(name)FOREIGN KEY"
      + " (\(quoted(column.name))) REFERENCES \(quoted(schema)).\(quoted(target)) (id)"
      + " DEFERRABLE INITIALLY DEFERRED"
  }

  /// Returns the name of a column's reference, which belongs to its table.
  func referenceName(_ column: ColumnShape, of table: TableShape) -> String {
    indexName(IndexShape([column.name], isUnique: false), of: table.name)
  }

  /// Returns the statement that creates an index. An index that is not unique ends with the id, so that
  /// it has the order of lists. With the option `CONCURRENTLY`, rows can be written meanwhile.
  func index(_ index: IndexShape, of table: TableShape, _ option: String = "") -> String {
    let keys = index.properties.map { quoted($0) + (index.isUnique ? "" : " NULLS FIRST") }
    let name = quoted(indexName(index, of: table.name))
    return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(option) \(name)"
      + " ON \(self.name(table)) (\((keys + (index.isUnique ? [] : ["id"])).joined(separator: ", ")))"
  }
}
#endif
