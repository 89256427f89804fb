#if Postgres
/// A statement with the values of its parameters.
struct ServerStatement {
  let sql: String
  var parameters = ServerParameters()
  /// Whether the server keeps the prepared statement, because it will be run again.
  var isKept = true

  init(_ sql: String, _ parameters: ServerParameters = ServerParameters(), isKept: Bool = true) {
    self.sql = sql
    self.parameters = parameters
    self.isKept = isKept
  }

  /// The key under which the server keeps the prepared statement.
  var key: KeptStatement { KeptStatement(sql: sql, types: parameters.types) }

  /// Creates a statement whose parameters are values, each of which is sent in its own type.
  init(_ sql: String, _ values: [StoredValue], isKept: Bool = true) {
    self.init(sql, ServerParameters(values), isKept: isKept)
  }

  /// Creates the statement that gives a setting of the server a value until the transaction ends or, if it
  /// is not local, until the connection ends.
  init(setting name: String, _ value: String, isLocal: Bool = true) {
    self.init("SET \(isLocal ? "LOCAL" : "SESSION") \(name) = \(value)")
  }

  /// Creates the statement that gives a setting a time in seconds.
  init(setting name: String, seconds: Double, isLocal: Bool = true) {
    let milliseconds = Int((max(0.001, min(seconds, 1e6)) * 1_000).rounded(.up))
    self.init(setting: name, "\(milliseconds)", isLocal: isLocal)
  }
}

/// The key of a prepared statement that the server keeps.
struct KeptStatement: Hashable {
  let sql: String
  /// The numbers of the parameters' types.
  let types: [UInt32]

  /// The name of the prepared statement: a hash of 128 bits over the SQL and the types of the
  /// parameters. Two statements never have the same name, so a pooler may keep it for another client.
  var name: String {
    var hash: (UInt64, UInt64) = (0xcbf2_9ce4_8422_2325, 0x6c62_272e_07bb_0142)
    func mix(_ byte: UInt8) {
      hash.0 = (hash.0 ^ UInt64(byte)) &* 0x100_0000_01b3
      hash.1 = (hash.1 &+ UInt64(byte) &+ 1) &* 0x9e37_79b9_7f4a_7c15
      hash.1 ^= hash.1 >> 29
    }
    for byte in sql.utf8 { mix(byte) }
    for type in types {
      for shift in [0, 8, 16] { mix(UInt8(truncatingIfNeeded: type >> UInt32(shift))) }
    }
    return "l" + String(hash.0, radix: 36) + "_" + String(hash.1, radix: 36)
  }
}
#endif
