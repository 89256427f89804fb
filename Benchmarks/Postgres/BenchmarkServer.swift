#if Postgres
import Foundation

/// The server on which the suite makes its stores.
enum BenchmarkServer {
  /// The address of the server; nil if the environment names none.
  static var address: String? {
    ProcessInfo.processInfo.environment["LINEAGE_POSTGRES"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Opens a connection to the server.
  static func connect() throws -> RawServerConnection {
    guard let address else { throw RawServerError("LINEAGE_POSTGRES names no server") }
    return try RawServerConnection(address)
  }

  /// The settings on which figures depend, by their names; nil if there is no server.
  static var settings: [String: String]? {
    get throws {
      guard address != nil else { return nil }
      let names = ["server_version", "synchronous_commit", "fsync", "shared_buffers"]
      let connection = try connect()
      var settings = ["placement": Placement.description]
      for name in names { settings[name] = try connection.run("SHOW \(name)").text(0, 0) }
      return settings
    }
  }
}
#endif
