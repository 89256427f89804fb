import ObjectGraph

extension SQLiteStore {
  /// Runs long work on a new thread. A failure of SQLite is thrown as a `GraphError` that names the
  /// attempted operation.
  func runLongWork<R: Sendable>(
    _ attempted: String,
    _ body: @escaping @Sendable (SQLiteStore, Cancellation) throws -> R
  ) async throws -> R {
    try await onOwnThread { cancellation in
      Result {
        do {
          try cancellation.check()
          return try body(self, cancellation)
        } catch let fault as SQLiteFault {
          try cancellation.check()
          throw fault.error(attempted, waited: self.options.timeout)
        }
      }
    }.get()
  }
}
