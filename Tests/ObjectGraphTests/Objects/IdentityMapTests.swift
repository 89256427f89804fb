import LineageTestSupport
import ObjectGraph
import Testing

@Suite("The identity map")
struct IdentityMapTests {
  /// Patterns of ids: neighbours, ids that collide, ids of several processes, and random ids.
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
      for shift in stride(from: 0, through: 9000, by: 9000 / rounds(6)) {
        let map = IdentityMap()
        var objects: [Object<Card>] = []
        for number in 0..<3000 {
          for process in 0..<processes {
            // The ids of each process overlap those of the process before, in a table of any size.
            let tick = 200_000_000_000 + process * (1 << 24) + process * shift + number
            objects.append(Object(Card(), id: Ref(key: Int64(tick) << 20 | Int64(process * 77))))
          }
        }
        // The ids are inserted one process after another, in the order of a file.
        objects.sort { $0.key & 0xF_FFFF < $1.key & 0xF_FFFF }
        if processes == 3 { map.reserve(objects.count) }
        for object in objects { map.insert(object) }
        try #require(map.checkInvariants())
        #expect(map.reach <= 100, "\(processes) processes, shifted by \(shift)")
        #expect(objects.allSatisfy { map.object($0.key) === $0 })
        for object in objects { map.remove(object) }
        try #require(map.checkInvariants() && map.count == 0)
      }
    }
  }

  @Test("Does not grow while there is the room that was asked for", arguments: [0, 1, 4, 5, 480])
  func reserved(_ count: Int) throws {
    let map = IdentityMap()
    let objects = (1...500).map { Object(Card(), id: Ref(key: Int64($0) << 20)) }
    for known in [0, 20] {
      for object in objects.prefix(known) { map.insert(object) }
      map.reserve(count)
      let capacity = map.capacity
      #expect(capacity <= max(64, 4 * (known + count)))
      for object in objects[known..<(known + count)] { map.insert(object) }
      #expect(map.capacity == capacity)
      try #require(map.checkInvariants() && map.count == known + count)
      #expect(objects.prefix(known + count).allSatisfy { map.object($0.key) === $0 })
      for object in objects.prefix(known + count) { map.remove(object) }
      try #require(map.checkInvariants() && map.count == 0)
    }
  }

  /// Patterns of ids that an attacker could choose. The attacker knows the code of the map, but not
  /// the secret numbers of the process.
  enum Attack: CaseIterable {
    case oneHome, oneEight, twoRuns, farApart, sameLowBits, gridOfProcesses, random

    /// Returns the ids of `bait`, and then the ids of this attack. The bait makes the map choose
    /// the arrangement in which the ids of the attack collide.
    func keys(_ count: Int, after bait: [(Attack, count: Int)]) -> [Int64] {
      var known: Set<Int64> = []
      return (bait.flatMap { $0.keys($1) } + keys(count)).filter { known.insert($0).inserted }
    }

    /// Returns the attack's ids in ascending order, as they are in an archive.
    private func keys(_ count: Int) -> [Int64] {
      var keys: Set<Int64> = []
      var random = SplitMix64(seed: 7)
      var eight: UInt64 = 0
      for number in 1...count * 2 where keys.count < count {
        switch self {
        case .oneHome: keys.insert(Int64(number) << 44 | 5)
        case .oneEight:
          eight = Self.nextInOneHome(eight)
          keys.insert(Int64(eight << 23 | 1 << 20))
        case .twoRuns: keys.insert(Int64(number / 2 + number % 2 * 7 + 1) << 20 | Int64(number % 2))
        case .farApart: keys.insert(Int64(number) << 36)
        case .sameLowBits: keys.insert(Int64(number) << 23)
        case .gridOfProcesses: keys.insert(Int64(number / 100 + 1) << 40 | Int64(number % 100))
        case .random: keys.insert(Int64(bitPattern: random.next() >> 1))
        }
      }
      return keys.sorted()
    }

    /// Returns the next number whose product with the golden ratio begins with 17 zero bits. The
    /// distance to the next number is one of three Fibonacci numbers.
    private static func nextInOneHome(_ number: UInt64) -> UInt64 {
      let steps: [UInt64] = [121_393, 196_418, 317_811]
      let next = steps.map { number + $0 }.first { ($0 &* 0x9E37_79B9_7F4A_7C15) >> 47 == 0 }
      return next ?? number
    }
  }

  /// For each arrangement of the map, the ids that make the map choose it.
  private static let baits: [[(Attack, count: Int)]] = [
    [], [(.oneHome, 200)], [(.oneHome, 200), (.oneEight, 1000)],
  ]

  @Test(
    "Ids that were chosen to meet are found after few probes",
    arguments: Attack.allCases, baits.indices)
  func attacks(_ attack: Attack, bait: Int) throws {
    let keys = attack.keys(6000, after: Self.baits[bait])
    let objects = keys.map { Object(Card(), id: Ref(key: $0)) }
    var random = SplitMix64(seed: 1)
    for _ in 0..<3 {
      let map = IdentityMap(secret: .init(random.next(), random.next()))
      for object in objects { map.insert(object) }
      try #require(map.checkInvariants())
      let found = keys.reduce(0) { $0 + map.probes(for: $1) }
      // These ids are not in the map.
      let missed = keys.reduce(0) { $0 + map.probes(for: $1 ^ 1 << 19) }
      #expect(found <= 8 * keys.count && missed <= 16 * keys.count && map.reach <= 128)
      for object in objects { map.remove(object) }
      try #require(map.checkInvariants() && map.count == 0)
    }
  }

  @Test("Where hostile ids lie is decided by the secret; other ids lie alike in all processes")
  func secrets() {
    func order(_ bait: Int, _ secret: IdentityMap.Secret) -> [Int64] {
      let map = IdentityMap(secret: secret)
      let keys = Attack.random.keys(300, after: Self.baits[bait])
      let objects = keys.map { Object(Card(), id: Ref(key: $0)) }
      for object in objects { map.insert(object) }
      return withExtendedLifetime(objects) { map.live.map(\.key) }
    }
    let one = IdentityMap.Secret(1, 2), other = IdentityMap.Secret(3, 4)
    #expect(order(2, one) != order(2, other))
    #expect(order(0, one) == order(0, other))
  }

  /// An identity map, and a dictionary of the same objects.
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
  /// Returns a pseudorandom number, which is always the same for the same argument.
  fileprivate static func mixed(_ number: UInt64) -> UInt64 {
    var random = SplitMix64(seed: number &* 77)
    return random.next() | 1 << 21
  }
}
