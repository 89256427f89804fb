extension Forgery {
  /// Makes one random change of an item, or of the order of the items.
  package mutating func change(_ random: inout SplitMix64) {
    guard !items.isEmpty else { return }
    let index = random.below(items.count)
    switch random.below(12) {
    case 0: items.swapAt(index, random.below(items.count))
    case 1: items.insert(items[index], at: random.below(items.count))
    case 2: items.remove(at: index)
    case 3: items[index].parent = random.below(items.count + 1)
    case 4: items[index].payload = items[random.below(items.count)].payload
    default: items[index].payload = Self.damage(items[index].payload, &random)
    }
  }

  /// Returns the bytes after a few random changes. A change flips, replaces, inserts, removes or
  /// moves bytes.
  package static func damage(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = bytes
    for _ in 0...random.below(3) where !bytes.isEmpty {
      let start = random.below(bytes.count)
      let piece = start..<min(start + 1 + random.below(40), bytes.count)
      switch random.below(10) {
      case 0: bytes[start] ^= 1 << UInt8(random.below(8))
      case 1: bytes[start] = UInt8(random.below(256))
      case 2: bytes.insert(contentsOf: bytes[piece], at: random.below(bytes.count))
      case 3: bytes.removeSubrange(piece)
      case 4: bytes.replaceSubrange(piece, with: bytes[piece].reversed())
      case 5: bytes.removeSubrange(start...)
      case 6: bytes.replaceSubrange(piece, with: bytes[piece].map { _ in 0xFF })
      case 7:
        let number = random.pick(extremeNumbers).prefix(bytes.count - start)
        bytes.replaceSubrange(start..<start + number.count, with: number)
      case 8: bytes += bytes[start...]
      default: bytes.swapAt(start, random.below(bytes.count))
      }
    }
    return bytes
  }

  /// Encodings of numbers that are extreme for a count or a length.
  private static let extremeNumbers: [[UInt8]] = [
    [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0x7F], [0, 0, 0, 0x80],
    [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0x80, 0x80, 0x80, 0],
  ]
}
