#if Postgres
import Foundation
import ObjectGraph
@testable import PostgresStorage

/// The server of the tests, which `.ci/postgres` starts.
enum TestServer {
  /// The address of the server; nil if none was started.
  static let address = ProcessInfo.processInfo.environment["LINEAGE_POSTGRES"]
  static let isThere = address != nil

  /// Calls a closure with the options for a schema of its own, and then removes the schema.
  static func withSchema<Result>(
    _ body: (PostgresOptions) async throws -> Result
  ) async throws -> Result {
    var options = PostgresOptions(address ?? "")
    options.schema = "s" + UUID().uuidString.lowercased().replacing("-", with: "")
    options.maximumConnections = 4
    defer { try? drop(options) }
    return try await body(options)
  }

  private static func drop(_ options: PostgresOptions) throws {
    let connection = try Connecting(options).connect()
    for name in [options.schema, options.schema + "_lineage"] {
      try connection.run("DROP SCHEMA IF EXISTS \"\(name)\" CASCADE", until: Deadline(in: 30))
    }
  }
}
#endif
