import Foundation
import Synchronization

/// The source of ids. An id has 63 bits: 43 bits of a tick (a time) and 20 bits of a process
/// number.
///
/// An object gets its id when it is created, not when it is saved. Rows created one after another
/// get successive ids. The tick is the milliseconds since 2020, or the last tick plus one if that
/// is greater. So ticks of a process always grow, even if the clock goes back. Two processes make
/// the same id only if they drew the same process number (one chance in 1,048,576) *and* both make
/// an id in the same tick. A store refuses the second object with `idTaken`, and never overwrites
/// the first.
package enum KeyClock {
  private static let process = Int64.random(in: 0..<(1 << 20))
  private static let last = Atomic<Int64>(0)

  /// Returns the next id of this process.
  static func next() -> Int64 { next(now: milliseconds()) }

  /// Returns the next id for a given time, in milliseconds since 2020.
  package static func next(now: Int64) -> Int64 {
    var seen = last.load(ordering: .relaxed)
    while true {
      let tick = max(seen + 1, now)
      let (done, current) = last.compareExchange(
        expected: seen, desired: tick, ordering: .relaxed)
      if done { return (tick & ((1 << 43) - 1)) << 20 | process }
      seen = current
    }
  }

  private static func milliseconds() -> Int64 {
    let since2020 = Date().timeIntervalSinceReferenceDate - 599_616_000
    return Int64(max(1, min(since2020 * 1000, 8e12)))
  }
}
