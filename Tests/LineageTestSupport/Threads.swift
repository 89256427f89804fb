import Foundation

/// Carries what is not Sendable to another thread.
///
/// Safe because the sender lets go of it: that is what the tests of law 9 are about.
package final class Handover<Value>: @unchecked Sendable {
  private var value: Value?

  package init(_ value: consuming Value) { self.value = value }

  /// Takes the value out, once.
  package func take() -> Value? {
    defer { value = nil }
    return value
  }
}

/// Runs something on a thread of its own, with as small a stack as asked for, and waits for it
/// without blocking the tasks of others.
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
