/// Times work by the clock that does not stop or jump.
enum Stopwatch {
  /// The nanoseconds of so many calls of `body`, the loop included.
  @inline(__always)
  static func nanoseconds(_ iterations: Int, _ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    for _ in 0..<iterations { try body() }
    return nanoseconds(since: start)
  }

  /// The nanoseconds of `body` alone, although `before` runs ahead of each call of it.
  ///
  /// Reading the clock, some tens of nanoseconds, is counted with each call.
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
