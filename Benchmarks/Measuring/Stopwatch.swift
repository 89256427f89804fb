/// Functions that measure the time of work by `ContinuousClock`, which never stops or jumps.
enum Stopwatch {
  /// Returns the nanoseconds that `iterations` calls of `body` take, including the time of the
  /// loop.
  @inline(__always)
  static func nanoseconds(_ iterations: Int, _ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    for _ in 0..<iterations { try body() }
    return nanoseconds(since: start)
  }

  /// Returns the nanoseconds that `iterations` calls of `body` take. Before each call, `before` is
  /// called, and its time is not included.
  ///
  /// The result includes reading the clock, which takes some tens of nanoseconds for each call.
  @inline(__always)
  static func nanoseconds(
    _ iterations: Int, before: () throws -> Void, _ body: () throws -> Void
  ) rethrows -> Double {
    var total = 0.0
    for _ in 0..<iterations {
      try before()
      total += try nanoseconds(1, body)
    }
    return total
  }

  /// Returns the nanoseconds that `iterations` calls of `body` take. The time to release the
  /// results is not included.
  @inline(__always)
  static func nanoseconds<Made>(_ iterations: Int, making body: () throws -> Made) rethrows
    -> Double
  {
    var kept: Made?
    let total = try nanoseconds(iterations, before: { kept = nil }, { kept = try body() })
    return withExtendedLifetime(kept) { total }
  }

  @inline(__always)
  static func nanoseconds(since start: ContinuousClock.Instant) -> Double {
    let passed = (ContinuousClock.now - start).components
    return Double(passed.seconds) * 1e9 + Double(passed.attoseconds) * 1e-9
  }
}
