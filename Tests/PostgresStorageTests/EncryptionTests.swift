#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Testing

@Suite("Connections to other machines are encrypted")
struct AddressTests {
  private func keywords(_ address: String) throws -> [String: String] {
    try Dictionary(uniqueKeysWithValues: ServerAddress(address).keywords(password: nil))
  }

  @Test(
    "and the server's name is verified",
    arguments: [
      "host=db.example.org", "postgresql://ada@db.example.org/cards", "host=10.0.0.1",
      "host=localhost,db.example.org", "host=127.0.0.1.example.org",
      "hostaddr=192.0.2.1 host=localhost", "hostaddr= host=db.example.org",
      "hostaddr=127.0.0.1, host=localhost,db.example.org", "service=lineage-without-file",
    ])
  func others(_ address: String) throws {
    #expect(try keywords(address)["sslmode"] == "verify-full")
    #expect(try keywords(address)["gssencmode"] == "disable")
    #expect(
      try keywords(address + (address.contains("://") ? "?" : " ") + "sslmode=require")["sslmode"]
        == "require")
  }

  @Test(
    "but not those to this one",
    arguments: [
      "", "host=/run/postgresql", "host=127.0.0.1", "host=127.3.2.1", "host=::1", "host=localhost",
      "postgresql:///cards", "postgresql://[::1]/cards", "host=localhost,127.0.0.1",
    ])
  func own(_ address: String) throws { #expect(try keywords(address)["sslmode"] == nil) }
}

/// The tests change settings of the server, which only encrypted connections notice.
@Suite("An encrypted connection", .enabled(if: TestServer.folder != nil), .serialized, .hangGuard)
struct EncryptionTests {
  private let folder = TestServer.folder ?? ""

  private func outcome(host: String) async throws -> String {
    try await TestServer.withSchema { options in
      var options = options
      options.address =
        "host=\(host) hostaddr=127.0.0.1 port=\(TestServer.port ?? 0) user=\(TestServer.user)"
        + " dbname=postgres sslmode=verify-full sslrootcert=\(folder)/ca.crt"
      let opening = await PostgresStore.opening(options, Library.entities)
      opening.store?.close()
      return "\(opening)"
    }
  }

  /// Calls a closure while the server has another setting.
  private func with(
    _ setting: String, _ value: String, _ body: () async throws -> Void
  ) async throws {
    func set(_ sql: String) throws {
      try TestServer.run(sql)
      try TestServer.run("SELECT pg_reload_conf()")
      // Each new connection reads the settings anew, soon.
      let wanted = sql.contains("RESET") ? nil : value
      while try wanted != nil && TestServer.texts("SHOW \(setting)") != [value] {}
    }
    try set("ALTER SYSTEM SET \(setting) = '\(value)'")
    do { try await body() } catch {
      try set("ALTER SYSTEM RESET \(setting)")
      throw error
    }
    try set("ALTER SYSTEM RESET \(setting)")
  }

  @Test("opens a store if the certificate has the server's name")
  func right() async throws {
    #expect(try await outcome(host: "db.test") == "it was created")
  }

  @Test("is refused with another name, and without the authority")
  func wrong() async throws {
    #expect(try await outcome(host: "other.test").contains("does not match"))
    let other = try PostgresOptions(
      #require(TestServer.address).replacing(
        "host=\(folder)", with: "host=db.test hostaddr=127.0.0.1")
        + " sslmode=verify-full sslrootcert=/etc/ssl/certs/ca-certificates.crt")
    #expect("\(await PostgresStore.opening(other, Library.entities))".contains("certificate"))
  }

  @Test("is refused if the certificate has expired, or if the server offers none")
  func expired() async throws {
    try await with("ssl_cert_file", "\(folder)/expired.crt") {
      let expired = try await outcome(host: "db.test")
      #expect(expired.contains("certificate"))
    }
    try await with("ssl", "off") {
      let plain = try await outcome(host: "db.test")
      #expect(plain.contains("SSL"))
    }
    #expect(try await outcome(host: "db.test") == "it was created")
  }
}
#endif
