import ObjectGraph

extension SQLiteStore {
  /// Runs long work on a thread of its own. SQLite's failures become errors that name the attempt.
  func elsewhere<R: Sendable>(
    _ attempted: String,
    _ body: @escaping @Sendable (SQLiteStore, Cancellation) throws -> R
  ) async throws -> R {
    try await onOwnThread { cancellation in
      Result {
        do {
          try cancellation.check()
          return try body(self, cancellation)
        } catch let fault as Fault {
          try cancellation.check()
          throw fault.error(attempted, waited: self.options.timeout)
        }
      }
    }.get()
  }
}
