#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Synchronization
import Testing

/// An entity with many columns, so that its updates are of many kinds.
private struct Wide: Entity {
  var a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0

  static let schema = Schema<Wide>("Wide") {
    Attribute("a", \.a)
    Attribute("b", \.b)
    Attribute("c", \.c)
    Attribute("d", \.d)
    Attribute("e", \.e)
    Attribute("f", \.f)
    Attribute("g", \.g)
    Attribute("h", \.h)
  }
}

/// The server asks members of the role `asked` for a password, which it asks nobody else for.
@Suite("A connection to a server", .enabled(if: TestServer.folder != nil), .hangGuard)
struct PostgresConnectingTests {
  /// Calls a closure with options for a role that needs the password `right`.
  private func withRole(_ body: (PostgresOptions) async throws -> Void) async throws {
    try await TestServer.withSchema { options in
      let role = "asked_\(options.schema)"
      try? TestServer.run("CREATE ROLE asked")
      try TestServer.run("CREATE ROLE \(role) LOGIN PASSWORD 'right' IN ROLE asked")
      // The server refuses two changes of a database's rights at once.
      let alone = "SELECT pg_advisory_xact_lock(1);"
      try TestServer.run("\(alone) GRANT CREATE ON DATABASE postgres TO \(role)")
      defer {
        try? TestServer.run("\(alone) DROP OWNED BY \(role) CASCADE")
        try? TestServer.run("DROP ROLE \(role)")
      }
      var options = options
      options.address += " user=\(role)"
      try await body(options)
    }
  }

  @Test("asks the closure for its password each time")
  func password() async throws {
    try await withRole { options in
      var options = options
      let asked = Mutex(0)
      let made = Mutex(0)
      options.password = {
        asked.withLock { $0 += 1 }
        return "right"
      }
      options.onEvent = { if case .connected = $0 { made.withLock { $0 += 1 } } }
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      let context = store.makeContext()
      try context.insert(Card("a"))
      try context.save()
      #expect(try context.count(Card.self) == 1)
      // The store's own thread may be asking just now.
      #expect(made.withLock { $0 } >= 3)
      #expect(asked.withLock { $0 } >= made.withLock { $0 })
    }
  }

  @Test("is refused with a wrong password, which is not shown, and without one")
  func wrongPassword() async throws {
    try await withRole { options in
      var options = options
      let none = await PostgresStore.opening(options, Library.entities)
      #expect("\(none)".contains("password"), "\(none)")
      options.password = { "a secret" }
      let wrong = await PostgresStore.opening(options, Library.entities)
      #expect("\(wrong)".contains("password") && !"\(wrong)".contains("secret"), "\(wrong)")
    }
  }

  @Test("tells the error of the closure, at the opening and later")
  func failingPassword() async throws {
    struct NoToken: Error, CustomStringConvertible { let description = "the token has expired" }
    try await withRole { options in
      var options = options
      let hasExpired = Mutex(true)
      options.password = {
        if hasExpired.withLock({ $0 }) { throw NoToken() }
        return "right"
      }
      let opening = await PostgresStore.opening(options, Library.entities)
      #expect("\(opening)".contains("the token has expired"), "\(opening)")
      hasExpired.withLock { $0 = false }
      let store = try await PostgresStore.open(options, Library.entities)
      defer { store.close() }
      hasExpired.withLock { $0 = true }
      let context = store.makeContext()
      let error = #expect(throws: (any Error).self) { try context.count(Card.self) }
      #expect("\(error, default: "")".contains("the token has expired"))
      hasExpired.withLock { $0 = false }
      #expect(try context.count(Card.self) == 0)
    }
  }

  @Test("finds a service file and a password file by the environment")
  func files() async throws {
    try await withRole { options in
      let folder = try Drawer()
      let role = try #require(options.address.split(separator: "user=").last)
      let server = "host=\(TestServer.folder ?? "")\nport=\(TestServer.port ?? 0)\n"
      let service = folder.file("services").path
      try "[cards]\n\(server)user=\(role)\ndbname=postgres\n".write(
        toFile: service, atomically: true, encoding: .utf8)
      let passwords = folder.file("passwords").path
      try "*:*:postgres:\(role):right\n".write(
        toFile: passwords, atomically: true, encoding: .utf8)
      chmod(passwords, 0o600)
      let schema = options.schema
      // The environment of this process would be that of all other tests.
      await #expect(processExitsWith: .success) {
        [service = service as String, passwords = passwords as String, schema = schema as String] in
        setenv("PGSERVICEFILE", service, 1)
        setenv("PGPASSFILE", passwords, 1)
        var options = PostgresOptions("service=cards")
        options.schema = schema
        let store = try await PostgresStore.open(options, Library.entities)
        #expect(try store.makeContext().count(Card.self) == 0)
        store.close()
        let others = ServerAddressProbe.keywords("service=cards")
        #expect(others["sslmode"] == nil, "The service names a socket.")
      }
    }
  }

  @Test("keeps some statements prepared, and forgets them when they are more than 200")
  func manyStatements() async throws {
    try await TestServer.withSchema { options in
      let store = try await PostgresStore.open(options, [Wide.self])
      defer { store.close() }
      let context = store.makeContext()
      let wide = try context.insert(Wide())
      try context.save()
      let paths: [any WritableKeyPath<Wide, Int> & Sendable] = [
        \.a, \.b, \.c, \.d, \.e, \.f, \.g, \.h,
      ]
      let before = store.trips
      // Each set of columns is updated by a statement of its own, and the first ones once more.
      for mask in Array(1...255) + Array(1...20) {
        for (bit, path) in paths.enumerated() where mask & 1 << bit != 0 {
          wide.value[keyPath: path] += 1
        }
        try context.save()
      }
      // One more trip makes the server forget them.
      #expect(store.trips - before == 276)
      let saved = try #require(try store.makeContext().values(Wide.self).first)
      let expected = paths.indices.map { bit in
        (Array(1...255) + Array(1...20)).count { $0 & 1 << bit != 0 }
      }
      #expect(paths.map { saved[keyPath: $0] } == expected)
    }
  }
}

/// Returns the keywords that the store makes of an address.
enum ServerAddressProbe {
  static func keywords(_ address: String) -> [String: String] {
    let keywords = try? ServerAddress(address).keywords(password: nil)
    return Dictionary(uniqueKeysWithValues: keywords ?? [])
  }
}
#endif
