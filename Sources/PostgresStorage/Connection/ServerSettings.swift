#if Postgres
/// Settings of the server for one transaction.
enum ServerSettings {
  /// Returns the statement that sets times in seconds, and other settings, until the transaction ends.
  static func statement(
    _ settings: [(name: String, seconds: Double)], others: [(name: String, value: String)] = []
  ) -> ServerStatement {
    let times = settings.map { name, seconds in
      (name: name, value: "\(Int((max(seconds, 0.001) * 1_000).rounded(.up)))")
    }
    let calls = (times + others).map { "set_config('\($0.name)', '\($0.value)', true)" }
    return ServerStatement("SELECT " + calls.joined(separator: ", "))
  }
}
#endif
