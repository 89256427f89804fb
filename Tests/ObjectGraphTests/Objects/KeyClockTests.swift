import LineageTestSupport
import ObjectGraph
import Testing

@Suite("The clock of ids")
struct KeyClockTests {
  @Test("grow, whatever the clock does: stands still, leaps, steps back a year, runs over")
  func backwards() {
    let year: Int64 = 365 * 86_400_000
    let now: Int64 = 7 * year
    let clock: [Int64] = [
      now, now, now + 1, now - year, now - year, now + 10, 0, -1, .min, now + 5,
    ]
    let keys = clock.map(KeyClock.next(now:))
    #expect(zip(keys, keys.dropFirst()).allSatisfy(<))
    #expect(keys.allSatisfy { $0 > 0 })
    #expect(Set(keys.map { $0 & 0xF_FFFF }).count == 1, "the process's number")
  }

  @Test("are nobody else's, in however many threads they are made")
  func threads() async {
    let keys = await withTaskGroup(of: [Int64].self) { group in
      for _ in 0..<8 { group.addTask { (0..<5_000).map { _ in Object(Card("")).id.key } } }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(keys.count == 40_000 && Set(keys).count == keys.count)
  }
}
