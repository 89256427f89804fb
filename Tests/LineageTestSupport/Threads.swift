import Foundation

/// A box that passes a value that is not Sendable to another thread.
///
/// The conformance is safe because the sending thread keeps no reference to the value. The tests of
/// law 9 use the box to end responders on other threads.
package final class Handover<Value>: @unchecked Sendable {
  private var value: Value?

  package init(_ value: consuming Value) { self.value = value }

  /// Takes the value out of the box and returns it. Later calls return nil.
  package func take() -> Value? {
    defer { value = nil }
    return value
  }
}

/// Runs a closure on a new thread with the given stack size. The calling task is suspended until
/// the closure returns.
package func onThread(
  stackSize: Int = 256 * 1024, _ body: @escaping @Sendable () throws -> Void
) async throws {
  try await withCheckedThrowingContinuation { continuation in
    let thread = Thread {
      continuation.resume(with: Result { try body() })
    }
    thread.stackSize = stackSize
    thread.start()
  }
}
