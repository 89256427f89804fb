import ObjectGraph
import TestSupport
import Testing

@Suite("The identity map")
struct IdentityMapTests {
  /// Keys that are neighbours, that collide, and those of several processes.
  enum Keys: CaseIterable {
    case neighbours, colliding, processes, random

    func key(_ number: Int) -> Int64 {
      switch self {
      case .neighbours: Int64(number + 1) << 20 | 5
      case .colliding: Int64(number + 1) << 44 | 5
      case .processes: Int64(number / 3 + 1) << 20 | Int64(number % 3)
      case .random:
        Int64(bitPattern: SplitMix64.mixed(UInt64(number)) >> 1)
      }
    }
  }

  @Test("Every order of taking out, for all sizes around where it grows", arguments: Keys.allCases)
  func shapes(_ keys: Keys) throws {
    for count in Array(0...14) + [16, 17, 24, 25, 32, 33, 48, 49] {
      for stride in [1, 2, 3, 5, 7] where count > 0 {
        var world = World()
        for number in 0..<count { world.insert(keys.key(number)) }
        try world.check(keys, count + 2)
        for step in 0..<count {
          world.remove(keys.key((step * stride + stride / 2) % count))
          try world.check(keys, count + 2)
        }
        for number in 0..<count { world.remove(keys.key(number)) }
        try world.check(keys, count + 2)
      }
    }
  }

  @Test("Random insertions and removals equal a dictionary's", arguments: Keys.allCases)
  func programs(_ keys: Keys) throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      var world = World()
      for step in 0..<400 {
        let key = keys.key(random.below(seed % 2 == 0 ? 12 : 60))
        if random.chance(step % 100 < 50 ? 70 : 25) { world.insert(key) } else { world.remove(key) }
        if step % 7 == 0 { try world.check(keys, 60) }
      }
      world.removeAll()
      try world.check(keys, 60)
      #expect(world.map.capacity == 8, "seed \(seed): it has not shrunk")
    }
  }

  @Test("Runs of several processes that overlap do not keep each other far from home")
  func overlappingRuns() throws {
    for processes in 2...5 {
      for shift in stride(from: 0, through: 9000, by: 1500) {
        let map = IdentityMap()
        var objects: [Object<Card>] = []
        for number in 0..<3000 {
          for process in 0..<processes {
            // Each begins where the one before is in its run, whatever the table's size.
            let tick = 200_000_000_000 + process * (1 << 24) + process * shift + number
            objects.append(Object(Card(), id: Ref(key: Int64(tick) << 20 | Int64(process * 77))))
          }
        }
        // One process after the other, as files are read.
        objects.sort { $0.key & 0xF_FFFF < $1.key & 0xF_FFFF }
        for object in objects { map.insert(object) }
        try #require(map.checkInvariants())
        #expect(map.reach <= 100, "\(processes) processes, shifted by \(shift)")
        for object in objects { try #require(map.object(object.key) === object) }
        for object in objects { map.remove(object) }
        try #require(map.checkInvariants() && map.count == 0)
      }
    }
  }

  /// A map, and a dictionary of the same objects.
  private struct World {
    let map = IdentityMap()
    private var objects: [Int64: Object<Card>] = [:]

    mutating func insert(_ key: Int64) {
      guard objects[key] == nil else { return }
      let object = Object(Card(), id: Ref(key: key))
      objects[key] = object
      map.insert(object)
    }

    mutating func remove(_ key: Int64) {
      guard let object = objects.removeValue(forKey: key) else { return }
      map.remove(object)
    }

    mutating func removeAll() { for key in objects.keys.sorted() { remove(key) } }

    func check(_ keys: Keys, _ count: Int) throws {
      try #require(map.checkInvariants())
      try #require(map.count == objects.count)
      for number in 0..<count {
        try #require(map.object(keys.key(number)) === objects[keys.key(number)])
      }
      try #require(Set(map.live) == Set(objects.values))
    }
  }
}

extension SplitMix64 {
  /// A number that looks random and is always the same.
  fileprivate static func mixed(_ number: UInt64) -> UInt64 {
    var random = SplitMix64(seed: number &* 77)
    return random.next() | 1 << 21
  }
}
