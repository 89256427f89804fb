#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage

/// The server of the tests, which `.ci/postgres` starts.
enum TestServer {
  /// The address of the server; nil if none was started.
  static let address = ProcessInfo.processInfo.environment["LINEAGE_POSTGRES"]
  static let isThere = address != nil
  /// The address of a pooler before the server; nil if none was started.
  static let pooler = ProcessInfo.processInfo.environment["LINEAGE_PGBOUNCER"]
  /// Whether random tests take the sizes that need many minutes.
  static let isLong = ProcessInfo.processInfo.environment["LINEAGE_LONG"] != nil
  static var port: Int? { word("port").flatMap { Int($0) } }
  static var user: String { word("user") ?? "" }

  /// The folder of the server with its certificates; nil if it has none.
  static var folder: String? {
    word("host").flatMap { FileManager.default.fileExists(atPath: "\($0)/ca.crt") ? $0 : nil }
  }

  private static func word(_ name: String) -> String? {
    address?.split(separator: " ").first { $0.hasPrefix(name + "=") }
      .map { String($0.dropFirst(name.count + 1)) }
  }

  /// Calls a closure with the options for a schema of its own, and then removes the schema.
  static func withSchema<Result>(
    _ body: (PostgresOptions) async throws -> Result
  ) async throws -> Result {
    var options = PostgresOptions(address ?? "")
    options.schema = "s" + UUID().uuidString.lowercased().replacing("-", with: "")
    options.maximumConnections = 4
    defer {
      for name in [options.schema, options.schema + "_lineage"] {
        try? run("DROP SCHEMA IF EXISTS \"\(name)\" CASCADE")
      }
    }
    return try await body(options)
  }

  /// Runs statements as the owner of the server.
  static func run(_ sql: String) throws { _ = try texts(sql) }

  /// Makes the log of commits look as if rows were deleted that no poll has read until now.
  static func cleanLog(of schema: String) throws {
    // The number of the second transaction is greater than all that a poll may have seen.
    try run("SELECT pg_current_xact_id()")
    try run("UPDATE \"\(schema)_lineage\".state SET horizon = pg_current_xact_id()")
  }

  /// Runs statements that take long, on a thread of their own.
  static func later(_ sql: String) -> Task<[String], any Error> {
    Task.detached { try await onOwnThread { _ in Result { try texts(sql) } }.get() }
  }

  /// Runs a closure that waits, on a thread of its own. The threads of tasks are few.
  static func waiting<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await onOwnThread { _ in Result { try body() } }.get()
  }

  /// Runs statements, and returns the texts in the first column of their rows.
  static func texts(_ sql: String) throws -> [String] {
    let result = try ChildProcess.run(
      "/usr/bin/psql", ["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-c", sql, address ?? ""])
    guard result.status == 0 else { throw GraphError("run \(sql)", .other(result.output)) }
    return result.output.split(separator: "\n").map(String.init)
  }
}

struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ thing: Any) { description = "unexpected: \(thing)" }
}

/// A socket on loopback that accepts connections and says nothing.
final class SilentListener {
  let port: UInt16
  private let socket: Int32

  init() throws {
    socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = socket
    port = try withUnsafeMutablePointer(to: &address) { place in
      try place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        guard bind(descriptor, place, length) == 0, listen(descriptor, 8) == 0,
          getsockname(descriptor, place, &length) == 0
        else { throw GraphError("listen", .other("no port")) }
      }
      return UInt16(bigEndian: place.pointee.sin_port)
    }
  }

  deinit { close(socket) }
}
#endif
