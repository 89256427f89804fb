#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Testing

@Suite("A server that cannot have a store", .enabled(if: TestServer.isThere), .hangGuard)
struct PostgresRefusalTests {
  /// Returns the sentence with which the opening ends. It must open no store.
  private func refusal(_ options: PostgresOptions) async -> String {
    let opening = await PostgresStore.opening(options, Library.entities)
    #expect(opening.store == nil)
    opening.store?.close()
    return "\(opening)"
  }

  /// Calls a closure with options for a new role, which may do everything.
  private func withRole(
    _ body: (inout PostgresOptions, _ role: String) async throws -> Void
  ) async throws {
    try await TestServer.withSchema { options in
      let role = "role_\(options.schema)"
      try TestServer.run("CREATE ROLE \(role) SUPERUSER LOGIN")
      var options = options
      options.address += " user=\(role)"
      let result: Result<Void, any Error>
      do {
        result = .success(try await body(&options, role))
      } catch {
        result = .failure(error)
      }
      try? TestServer.run("REASSIGN OWNED BY \(role) TO \(TestServer.user)")
      try? TestServer.run("DROP OWNED BY \(role)")
      try? TestServer.run("DROP ROLE \(role)")
      try result.get()
    }
  }

  @Test("keeps texts in another encoding than UTF8")
  func encoding() async throws {
    try await TestServer.withSchema { options in
      let name = "ascii_\(options.schema)"
      try TestServer.run(
        "CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'"
      )
      defer { try? TestServer.run("DROP DATABASE \(name) WITH (FORCE)") }
      var options = options
      options.address += " dbname=\(name)"
      #expect(
        await refusal(options).contains("keeps texts in SQL_ASCII, and must keep them in UTF8"))
    }
  }

  @Test("only reads, or checks no references")
  func settings() async throws {
    try await withRole { options, role in
      try TestServer.run("ALTER ROLE \(role) SET default_transaction_read_only = on")
      #expect(await refusal(options).contains("default_transaction_read_only is on"))
      try TestServer.run("ALTER ROLE \(role) RESET default_transaction_read_only")
      try TestServer.run("ALTER ROLE \(role) SET session_replication_role = replica")
      #expect(await refusal(options).contains("session_replication_role is not origin"))
      try TestServer.run("ALTER ROLE \(role) RESET session_replication_role")
      try await PostgresStore.open(options, Library.entities).close()
    }
  }

  @Test("is a replica", .enabled(if: TestServer.folder != nil))
  func replica() async throws {
    // The server itself runs the programs, because they refuse to run as root.
    func run(_ command: String) throws {
      let text = command.replacing("'", with: "''")
      try TestServer.run("COPY (SELECT 1) TO PROGRAM '\(text)'")
    }
    let programs = try #require(
      try TestServer.texts("SELECT setting FROM pg_config WHERE name = 'BINDIR'").first)
    let (folder, port) = (try #require(TestServer.folder), try #require(TestServer.port))
    let copy = "\(folder)/replica-\(UUID().uuidString)"
    try run(
      "\(programs)/pg_basebackup -D \(copy) -R -c fast --no-sync -h \(folder) -p \(port)"
        + " -U \(TestServer.user) >/dev/null 2>&1")
    let start =
      "\(programs)/pg_ctl -D \(copy) -w -l \(copy)/log -o '-p \(port + 1) -c listen_addresses='"
    try run("\(start) start >/dev/null 2>&1 </dev/null")
    defer { try? run("\(programs)/pg_ctl -D \(copy) -m immediate stop >/dev/null 2>&1") }
    var options = PostgresOptions(
      "host=\(folder) port=\(port + 1) user=\(TestServer.user) dbname=postgres")
    #expect(await refusal(options).contains("the server is a replica"))
    // The second server takes writes.
    options.address =
      "host=\(folder),\(folder) port=\(port + 1),\(port) user=\(TestServer.user) dbname=postgres"
      + " target_session_attrs=read-write"
    try await TestServer.withSchema { own in
      options.schema = own.schema
      try await PostgresStore.open(options, Library.entities).close()
    }
  }

  @Test("grants the role less than it needs, each right singly")
  func privileges() async throws {
    try await TestServer.withSchema { options in
      try await PostgresStore.open(options, Library.entities).close()
      let role = "poor_\(options.schema)"
      let (schema, own) = ("\"\(options.schema)\"", "\"\(options.schema)_lineage\"")
      let rights =
        ["SELECT", "INSERT", "UPDATE", "DELETE"].flatMap { right in
          ["\(schema).\"Card\"", "\(schema).\"Learner\"", "\(own).receipts"].map { ($0, right) }
        }
        + ["SELECT", "INSERT", "DELETE"].map { ("\(own).log", $0) }
        + ["SELECT", "UPDATE"].map { ("\(own).state", $0) }
        + ["SELECT", "INSERT"].map { ("\(own).epoch", $0) }
      try TestServer.run(
        """
        CREATE ROLE \(role) LOGIN;
        GRANT USAGE ON SCHEMA \(schema), \(own) TO \(role);
        GRANT ALL ON ALL TABLES IN SCHEMA \(schema), \(own) TO \(role);
        GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA \(own) TO \(role)
        """)
      defer {
        try? TestServer.run("DROP OWNED BY \(role)")
        try? TestServer.run("DROP ROLE \(role)")
      }
      var options = options
      options.address += " user=\(role)"
      options.schemaManagement = .assumeExists
      try await PostgresStore.open(options, Library.entities).close()
      for (table, right) in rights {
        try TestServer.run("REVOKE \(right) ON \(table) FROM \(role)")
        let words = await refusal(options)
        // Without this right, the opening cannot even read the state.
        let isState = table.hasSuffix(".state") && right == "SELECT"
        #expect(
          words.contains(isState ? "permission denied for table state" : "\(right) is missing"),
          "\(table): \(words)")
        try TestServer.run("GRANT \(right) ON \(table) TO \(role)")
      }
      for name in [schema, own] {
        try TestServer.run("REVOKE USAGE ON SCHEMA \(name) FROM \(role)")
        #expect(await refusal(options).contains("permission denied"))
        try TestServer.run("GRANT USAGE ON SCHEMA \(name) TO \(role)")
      }
    }
  }

  @Test("has a slow statement that the store ends, in words")
  func slowStatement() async throws {
    try await TestServer.withSchema { options in
      var options = options
      options.statementTimeout = 0.2
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let context = store.makeContext()
      let error = #expect(throws: GraphError.self) {
        try context.rows("SELECT pg_sleep(60)::text", String?.self)
      }
      if case .tooSlow? = error?.reason {} else { Issue.record("It is another error.") }
      #expect("\(error, default: "")".contains("the server took more than 0.2 s"))
      #expect(try context.count(Card.self) == 0)
    }
  }

  @Test("does not wait on the server while somebody else has the lock for the creation")
  func creationLock() async throws {
    try await TestServer.withSchema { options in
      var options = options
      options.statementTimeout = 0.8
      let key = "hashtextextended('lineage:\(options.schema)', 0)"
      let other = try ChildProcess(
        "/usr/bin/psql", ["-X", "-q", "-At", TestServer.address ?? ""])
      try other.say("SELECT 'locked', pg_advisory_lock(\(key));")
      #expect(other.waits(for: "locked"))
      let refusal = await refusal(options)
      #expect(refusal.contains("waited 0.8 s for process"))
      #expect(refusal.contains("(psql)"))
      // A wait on the server would keep a snapshot. So the one that waits asks again and again.
      let opening = Task { [options] in
        var options = options
        options.statementTimeout = 60
        return await PostgresStore.opening(options, Library.entities)
      }
      let waits = """
        SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
          AND objid::bigint = \(key) & 4294967295
        """
      for _ in 0..<20 { #expect(try TestServer.texts(waits).first == "0") }
      try other.say("SELECT pg_advisory_unlock(\(key));")
      let store = await opening.value.store
      #expect(store != nil)
      store?.close()
      try other.input.close()
      other.wait()
    }
  }
}
#endif
