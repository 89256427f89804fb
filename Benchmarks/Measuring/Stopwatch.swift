/// Functions that time work by `ContinuousClock`, which neither stops nor jumps.
enum Stopwatch {
  /// Returns the nanoseconds that `iterations` calls of `body` take, including the loop.
  @inline(__always)
  static func nanoseconds(_ iterations: Int, _ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    for _ in 0..<iterations { try body() }
    return nanoseconds(since: start)
  }

  /// Returns the nanoseconds that the calls of `body` take. The time of `before`, which is called
  /// ahead of each, is not included.
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

  @inline(__always)
  static func nanoseconds(since start: ContinuousClock.Instant) -> Double {
    let passed = (ContinuousClock.now - start).components
    return Double(passed.seconds) * 1e9 + Double(passed.attoseconds) * 1e-9
  }
}
