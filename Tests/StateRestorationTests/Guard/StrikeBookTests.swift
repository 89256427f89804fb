import LineageTestSupport
import StateRestoration
import Testing

@Suite("The book of strikes")
struct StrikeBookTests {
  typealias Place = StrikeModel.Place

  @Test(
    "The book follows the table of the model",
    arguments: StrikeModelTests.records + StrikeModelTests.phases + StrikeModelTests.again)
  func table(_ row: StrikeModelTests.Row) throws {
    var program = StrikeProgram()
    for event in row.events { try program.run(event) }
    #expect(try program.next() == row.next)
  }

  @Test("Random launches leave out what the model leaves out")
  func random() throws {
    let seed = SplitMix64.seed(32)
    var random = SplitMix64(seed: seed)
    var extents: [Int] = [0, 0, 0]
    for number in 0..<4_000 {
      var (program, model) = (StrikeProgram(), StrikeModel())
      for step in 0..<40 {
        let next = try program.next()
        switch model.next {
        case .all: extents[0] += 1
        case .application: extents[1] += 1
        case .nothing: extents[2] += 1
        }
        guard next == model.next else {
          Issue.record(
            "LINEAGE_SEED=\(seed), program \(number), step \(step): \(next), not \(model.next)")
          return
        }
        let event = StrikeProgram.event(&random)
        model.note(event)
        try program.run(event)
      }
    }
    #expect(extents.allSatisfy { $0 > 1_000 })
  }

  @Test("A record that is tried again is given even if something else has its place")
  func retried() {
    var book = StrikeBook(version: "1")
    _ = book.begin(version: "1", lastEnd: nil)
    book.retry(.test(7))
    // Only the next launch tries the record again.
    let before = book
    book.noteGood()
    #expect(book == before && !book.strikes.isEmpty)
    for version in ["1", "2"] {
      _ = book.begin(version: version, lastEnd: nil)
      #expect(book.limits.retried == [.test(7)])
    }
    #expect(book.isPending)
    book.noteGood()
    _ = book.begin(version: "2", lastEnd: nil)
    #expect(book.limits.retried == [])
  }

  @Test("An end in a record that is tried again leaves it out and ends the retry")
  func retriedAndEnded() {
    var book = StrikeBook(version: "1")
    for place in [nil, .test(7), .test(7)] as [StrikePlace?] {
      _ = book.begin(version: "1", lastEnd: place)
    }
    #expect(book.limits.leftOut == [.test(7)])
    book.retry(.test(7))
    let limits = book.begin(version: "1", lastEnd: nil)
    #expect(limits.retried == [.test(7)] && limits.leftOut == [])
    let next = book.begin(version: "1", lastEnd: .test(7))
    #expect(next.retried == [] && next.leftOut == [.test(7)])
  }

  @Test("A record that the app asks to try again is complete in the next launch, not in this one")
  func completed() {
    var book = StrikeBook(version: "1")
    for place in [nil, .test(7), .test(7)] as [StrikePlace?] {
      _ = book.begin(version: "1", lastEnd: place)
    }
    for isRetried in [false, true] {
      if isRetried { book.retryAll() }
      book.complete { $0 == .test(7) }
      book.noteGood()
      #expect(book.row == 0 && book.strikes.count == 1)
    }
    _ = book.begin(version: "1", lastEnd: nil)
    book.complete { $0 == .test(7) }
    #expect(book.strikes == [])
  }

  @Test("If the launch that restores nothing ends, the archives come back until a launch is good")
  func comingBack() {
    var book = StrikeBook(version: "1")
    _ = book.begin(version: "1", lastEnd: nil)
    for number in 1...6 {
      _ = book.begin(version: "1", lastEnd: .test(number))
      #expect(!book.limits.bringsBack)
    }
    #expect(book.limits.extent == .nothing)
    for place in [.unconfirmed, nil] as [StrikePlace?] {
      _ = book.begin(version: "1", lastEnd: place)
      #expect(book.limits.bringsBack)
      #expect(book.limits.extent == .all)
    }
    book.noteGood()
    _ = book.begin(version: "1", lastEnd: nil)
    #expect(!book.limits.bringsBack)
  }

  @Test("What the app asks to bring back comes back in the next launch, also after a good one")
  func askedBack() {
    var book = StrikeBook(version: "1")
    _ = book.begin(version: "1", lastEnd: nil)
    book.bringBack()
    book.noteGood()
    for isBack in [true, false] {
      #expect(book.begin(version: "1", lastEnd: nil).bringsBack == isBack)
      book.noteGood()
    }
  }

  @Test("The application's record stays left out when nothing else is restored")
  func application() {
    var book = StrikeBook(version: "1")
    _ = book.begin(version: "1", lastEnd: nil)
    for place in [.application, .application, .test(1), .test(2), .test(3)]
      as [StrikePlace]
    {
      _ = book.begin(version: "1", lastEnd: place)
    }
    #expect(book.limits.extent == .minimum)
    #expect(book.limits.leftOut == [.application])
  }

  @Test("A full book forgets the oldest ends, and every book fits into its room")
  func full() throws {
    var book = StrikeBook(version: "1")
    _ = book.begin(version: String(repeating: "é", count: 90), lastEnd: nil)
    for number in 1...200 {
      for _ in 0..<2 { _ = book.begin(version: "1", lastEnd: .test(number)) }
      book.noteGood()
    }
    #expect(book.strikes.count == StrikeBook.limit)
    #expect(book.strikes.last?.place == .test(200))
    // Each of the scalars has four bytes.
    for strike in book.strikes { book.retry(strike.place) }
    _ = book.begin(version: String(repeating: "𝄞", count: 120), lastEnd: .test(201))
    #expect(book.version == String(repeating: "𝄞", count: 100))
    #expect(book.strikes.count == StrikeBook.limit - 1)
    #expect(book.encoded.count <= FoundStrikes.bookRoom)
    #expect(StrikeBook(book.encoded[...])?.strikes == book.strikes)
  }

  @Test("Records with different paths, ordinals or first generations are different places")
  func hashes() {
    var places: Set<StrikePlace> = [.application]
    var count = 1
    for name in ["", "a", "b", "ab", "ba", "\u{0}"] {
      for ordinal in [0, 1, 255, 256, 65_536] {
        for generation in [0, 1, 255, 256, 1 << 61] as [UInt64] {
          let id = RecordID.application.below(name, generation, ordinal)
          places.formUnion([StrikePlace(id), StrikePlace(id.below("a", generation))])
          count += 2
        }
      }
    }
    #expect(places.count == count && places.allSatisfy(\.isRecord))
  }
}

/// The launches of a program, one after the other. Between two launches, the book is encoded and
/// decoded.
struct StrikeProgram {
  private var bytes = StrikeBook(version: "1").encoded
  private var lastEnd: StrikePlace?
  private var version = 1

  /// The error of a book that cannot be decoded.
  struct Damaged: Error {}

  static let places: [StrikeModel.Place] =
    ["a", "b", "c", "d"].map { .record([$0]) }
    + [.record([]), .asking, .prefetching, .decoded, .reported, .unconfirmed]

  /// Draws an event. Ends are more frequent than the others.
  static func event(_ random: inout SplitMix64) -> StrikeModel.Event {
    func some() -> Set<StrikeModel.Place> {
      random.chance(60) ? [] : Set(places.filter { _ in random.chance(30) })
    }
    switch random.below(20) {
    case 0..<13:
      // Most ends are in few places, so that some places have two strikes.
      let place = random.pick(random.chance(70) ? Array(places.prefix(3)) : places)
      return .end(place, after: some())
    case 13, 14: return .good
    case 15, 16: return .quit(after: some())
    case 17: return .otherVersion
    case 18: return .retry(random.pick(Array(places.prefix(5))))
    default: return .retryAll
    }
  }

  /// Returns what the next launch restores.
  func next() throws -> StrikeModel.Extent {
    var copy = self
    return try Self.extent(copy.launch().limits)
  }

  /// Runs a launch with an event. Another version quits.
  mutating func run(_ event: StrikeModel.Event) throws {
    if case .otherVersion = event { version += 1 }
    var book = try launch()
    func complete(_ places: Set<StrikeModel.Place>) {
      let places = Set(places.map { Self.place($0) })
      book.complete { places.contains($0) }
    }
    switch event {
    case .end(let place, let completed):
      complete(completed)
      lastEnd = Self.place(place)
    case .good: book.noteGood()
    case .quit(let completed): complete(completed)
    case .retry(let place): book.retry(Self.place(place))
    case .retryAll: book.retryAll()
    case .otherVersion: break
    }
    bytes = book.encoded
  }

  private mutating func launch() throws -> StrikeBook {
    guard var book = StrikeBook(bytes[...]) else { throw Damaged() }
    _ = book.begin(version: "\(version)", lastEnd: lastEnd)
    lastEnd = nil
    return book
  }

  static func place(_ place: StrikeModel.Place) -> StrikePlace {
    switch place {
    case .record(let path): StrikePlace(path.reduce(.application) { $0.below($1, 1) })
    case .asking: .asking
    case .prefetching: .prefetching
    case .decoded: .decoded
    case .reported: .reported
    case .unconfirmed: .unconfirmed
    }
  }

  static func extent(_ limits: LaunchLimits) -> StrikeModel.Extent {
    switch limits.extent {
    case .minimum: .application
    case .nothing: .nothing
    case .all: .all(without: Set(places.filter { limits.leftOut.contains(place($0)) }))
    }
  }
}

extension StrikePlace {
  /// Returns one of many records.
  static func test(_ number: Int) -> StrikePlace { StrikePlace(1_000 + UInt64(number)) }
}
