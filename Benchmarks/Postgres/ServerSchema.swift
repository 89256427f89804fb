#if Postgres
import Foundation
import Lineage

/// The schema of a store on the server, which has another schema for the store's own tables beside it.
struct ServerSchema: StorePlace {
  let name: String
  /// The name of the schema of the store's own tables.
  var own: String { name + "_lineage" }

  static func unused(_ number: Int, in folder: URL) throws -> ServerSchema {
    // The name of the folder ends with digits that no other one has.
    let digits = folder.lastPathComponent.suffix(12).lowercased()
    return ServerSchema(name: "benchmark_\(digits)_\(number)")
  }

  /// Opens the store of the library, which makes the tables if there are none.
  func open() async throws -> PostgresStore {
    var options = PostgresOptions(BenchmarkServer.address ?? "")
    options.schema = name
    options.onEvent = { event in
      if case .connected(let process) = event { Placement.keep(serverProcess: Int32(process)) }
    }
    return try await PostgresStore.open(options, [Player.self])
  }

  func copy(to other: ServerSchema) async throws {
    try await other.open().close()
    let connection = try BenchmarkServer.connect()
    _ = try connection.run(
      #"INSERT INTO \#(other.name)."Player" SELECT * FROM \#(name)."Player" ORDER BY id"#)
    try other.settle()
  }

  /// Gives the planner its statistics, and readers pages on which nothing is to be cleaned.
  ///
  /// The server marks a page as visible to all only when each older transaction has ended. Another
  /// connection may just be ending one, and each row of an unmarked page takes longer to read.
  func settle() throws {
    let connection = try BenchmarkServer.connect()
    for _ in 0..<100 {
      _ = try connection.run(#"VACUUM (ANALYZE) \#(name)."Player", \#(own).log"#)
      let unmarked = try connection.run(
        "SELECT relpages::bigint - relallvisible FROM pg_class"
          + #" WHERE oid = '\#(name)."Player"'::regclass"#)
      if unmarked.integer(0, 0) == 0 { return }
      Thread.sleep(forTimeInterval: 0.01)
    }
    throw RawServerError("the pages of \(name) do not become visible to all")
  }

  func remove() {
    guard let connection = try? BenchmarkServer.connect() else { return }
    for schema in [name, own] {
      _ = try? connection.run("DROP SCHEMA IF EXISTS \(schema) CASCADE")
    }
  }
}
#endif
