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

/// Runs something on a thread of its own, with as small a stack as asked for, and waits for it.
package func onThread<R>(stackSize: Int = 256 * 1024, _ body: () throws -> R) throws -> R {
  try withoutActuallyEscaping(body) { body in
    let outcome = Outcome<Result<R, any Error>>()
    let work = Handover(body)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      // The body is gone before the waiting thread goes on.
      if let body = work.take() { outcome.value = Result { try body() } }
      done.signal()
    }
    thread.stackSize = stackSize
    thread.start()
    done.wait()
    guard let result = outcome.value else { throw CancellationError() }
    return try result.get()
  }
}

/// Written by one thread before, and read by another after, a semaphore.
private final class Outcome<Value>: @unchecked Sendable {
  var value: Value?
}
