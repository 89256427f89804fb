import Foundation
import LineageFiles
import LineageTestSupport
import StateRestoration
import Synchronization
import Testing

@Suite("Damage and kills in the page of strikes")
struct StrikePageDamageTests {
  /// Returns a page with strikes, and the offsets of the used bytes of both books.
  private static func page() throws -> (world: StrikeWorld, used: [Range<Int>]) {
    let world = try StrikeWorld()
    try world.end(in: 1, 1, 2)
    world.launch()
    let count = world.page.book.encoded.count
    try world.kill()
    return (world, FoundStrikes.bookOffsets.map { $0..<$0 + count })
  }

  @Test("Each flipped bit in one book leaves the other")
  func bits() throws {
    let (world, used) = try Self.page()
    let bytes = try world.bytes
    let book = try #require(FoundStrikes(bytes)?.book)
    var count = 0
    for place in used.flatMap(Array.init) {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[place] ^= 1 << bit
        let found = FoundStrikes(damaged)
        guard found?.book?.encoded == book.encoded, found?.isCertain == true else {
          Issue.record("Bit \(bit) of byte \(place)")
          return
        }
        count += 1
      }
    }
    #expect(count == 8 * 2 * book.encoded.count)
  }

  @Test("Each cut of one book leaves the other, and cuts of both restore the application only")
  func cuts() throws {
    let (world, used) = try Self.page()
    let bytes = try world.bytes
    let book = try #require(FoundStrikes(bytes)?.book)
    for length in 0..<book.encoded.count {
      var both = bytes
      for range in used {
        let rest = range.lowerBound + length..<range.upperBound
        var damaged = bytes
        damaged.replaceSubrange(rest, with: repeatElement(0, count: rest.count))
        #expect(FoundStrikes(damaged)?.book?.encoded == book.encoded)
        // The last byte may be a zero already.
        both[rest.lowerBound] ^= 0xFF
      }
      #expect(FoundStrikes(both)?.book == nil)
      try world.replace(both)
      guard world.launch().extent == .minimum, world.limits.lastEnd == nil else {
        Issue.record("Both books are cut after \(length) bytes: \(world.limits)")
        return
      }
      try world.kill()
    }
    var both = bytes
    for range in used {
      both.replaceSubrange(range, with: repeatElement(0, count: range.count))
    }
    try world.replace(both)
    #expect(world.launch().extent == .minimum)
  }

  /// Returns a book as bytes with the given strikes, of which the checksum covers only the first
  /// bytes.
  private static func forged(strikes count: UInt8, covered: (Int) -> Int) -> [UInt8] {
    // The launch, the row, the flags, the length of the version, the version.
    var payload: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 49, count]
    for number in 0..<count { payload += [number, 1, 0, 0, 0, 0, 0, 0, 1] }
    let length = UInt16(covered(payload.count))
    var checksum = Checksum()
    checksum.feed(length)
    let part = Array(payload.prefix(Int(length)))
    checksum.feed(part.span)
    let head = (0..<4).map { UInt8(truncatingIfNeeded: checksum.value >> (8 * $0)) }
    return head + [UInt8(length & 0xFF), UInt8(length >> 8)] + payload
  }

  @Test("A book with a valid checksum but too many strikes, or other ends, is damaged")
  func forged() {
    #expect(StrikeBook(Self.forged(strikes: 64) { $0 }[...])?.strikes.count == 64)
    for (count, difference) in [(65, 0), (255, 0), (3, -1), (3, -9), (3, -27)] {
      let bytes = Self.forged(strikes: UInt8(count)) { $0 + difference }
      #expect(StrikeBook(bytes[...]) == nil, "\(count) strikes, \(difference)")
    }
    let longer = Self.forged(strikes: 3) { $0 } + [0, 0]
    #expect(StrikeBook(longer[...])?.strikes.count == 3)
  }

  @Test("An end is counted although both books are damaged")
  func endAfterDamage() throws {
    let (world, used) = try Self.page()
    world.launch()
    _ = world.page.enter(.test(9))
    try world.kill()
    var bytes = try world.bytes
    for range in used { bytes[range.lowerBound] ^= 1 }
    try world.replace(bytes)
    #expect(world.launch().extent == .minimum)
    _ = world.page.enter(.test(9))
    try world.kill()
    #expect(world.launch().leftOut == [.test(9)])
  }

  @Test("Flipped bits of the words and random pages never end a launch")
  func words() throws {
    let (world, _) = try Self.page()
    let bytes = try world.bytes
    let seed = SplitMix64.seed(18)
    var random = SplitMix64(seed: seed)
    for place in 0..<32 {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[place] ^= 1 << bit
        let found = FoundStrikes(damaged)
        if place < 16 { #expect(found == nil) } else { #expect(found?.isCertain == true) }
      }
    }
    for _ in 0..<200 {
      var bytes = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &random) }
      bytes.replaceSubrange(0..<16, with: FoundStrikes.magic)
      try world.replace(bytes)
      #expect(world.launch().extent == .minimum, "LINEAGE_SEED=\(seed)")
      try world.kill()
      #expect(world.launch().extent == .all)
      world.page.close()
    }
  }

  /// Begins a launch and runs steps on its page. Returns the pages that a kill can leave behind:
  /// each write may have stopped at any byte that it changes.
  private static func torn(
    _ world: StrikeWorld, _ steps: (StrikePage) -> Void = { _ in }
  ) throws -> [[UInt8]] {
    let images = Mutex<[[UInt8]]>([])
    let url = world.url
    world.launch { step in
      if step == .write, let data = try? Data(contentsOf: url) {
        images.withLock { $0.append([UInt8](data)) }
      }
      return 0
    }
    steps(world.page)
    let whole = images.withLock { $0 } + [try world.bytes]
    return whole
      + zip(whole, whole.dropFirst()).flatMap { old, new in
        old.indices.filter { old[$0] != new[$0] }.map { Array(new[..<$0] + old[$0...]) }
      }
  }

  @Test("A kill at each byte of the writes of a beginning counts an end exactly once")
  func beginning() throws {
    let world = try StrikeWorld()
    try world.end(in: 1)
    let pages = try Self.torn(world)
    let other = try StrikeWorld()
    other.launch()
    for page in pages {
      try other.kill()
      try other.replace(page)
      other.launch()
      guard other.page.book.strikes.map(\.count) == [1], other.page.book.row == 1,
        other.limits.extent == .all
      else {
        Issue.record("\(other.page.book)")
        return
      }
    }
    #expect(pages.count >= 30)
  }

  @Test("A kill at each byte of the writes of a completion leaves a strike or clears it")
  func completion() throws {
    let world = try StrikeWorld()
    try world.end(in: 1, 2)
    world.launch()
    try world.kill()
    let pages = try Self.torn(world) { $0.complete(.test(1)) }
    var strikes: Set<[Int]> = []
    for page in pages {
      let found = try #require(FoundStrikes(page))
      #expect(found.isCertain && found.lastEnd == nil)
      strikes.insert(try #require(found.book).strikes.map(\.count))
    }
    #expect(strikes == [[1, 1], [1]])
  }
}
