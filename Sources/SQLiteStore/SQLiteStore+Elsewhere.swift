import Dispatch
import ObjectGraph

extension SQLiteStore {
  /// Runs long work on a thread of its own, until it is done or the caller's task is cancelled.
  func elsewhere<R: Sendable>(
    _ attempted: String,
    _ body: @escaping @Sendable (SQLiteStore, Cancellation) throws -> R
  ) async throws -> R {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Self.works.async {
          continuation.resume(
            with: Result {
              do {
                try cancellation.check()
                return try body(self, cancellation)
              } catch let fault as Fault {
                try cancellation.check()
                throw fault.error(attempted, waited: self.options.timeout)
              }
            })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// A connection that no context waits for.
  func withOwnConnection<R>(_ body: (Connection) throws -> R) throws -> R {
    let connection = try pool.make()
    defer { pool.end(connection) }
    return try body(connection)
  }

  private static let works = DispatchQueue(label: "lineage.store.work", attributes: .concurrent)
}
