import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Records that are carried from launch to launch")
struct CarryingTests {
  private let drawer: Drawer
  private var folder: URL { drawer.file("state") }
  private let clock = ManualSaveClock()

  init() throws { drawer = try Drawer() }

  /// Launches once without the kind "lost", ends the launch, and returns its outcome.
  private func launch(
    days: Double = 0, _ end: CarryingLaunch.End = .saved, kept: Bool = true,
    extent: Restoration.Extent = .all, launches: Int = 5
  ) -> String {
    clock.advance(days: days)
    let launch = CarryingLaunch(folder, clock, kept: kept, extent: extent, launches: launches)
    launch.end(end)
    return launch.outcome
  }

  /// Returns the sorted drafts of a launch that has the kind "lost" again.
  private func drafts() -> [String] {
    CarryingLaunch(folder, clock, lost: 1).drafts.sorted()
  }

  @Test("Five launches keep a record, the fifth says so, and the sixth removes it")
  func launches() throws {
    for end in [CarryingLaunch.End.terminated, .saved] {
      try? FileManager.default.removeItem(at: folder)
      try CarryingLaunch.make(folder, clock)
      let outcomes = (1...7).map { _ in launch(end) }
      #expect(outcomes == ["2", "2", "2", "2", "2 noted", "0", "0"], "\(end)")
      #expect(drafts() == ["draft of first", "draft of last"])
    }
  }

  @Test("A launch that is killed before a whole save does not count")
  func killed() throws {
    try CarryingLaunch.make(folder, clock)
    for _ in 0..<8 { #expect(launch(.killed) == "2") }
    #expect((1...6).map { _ in launch() } == ["2", "2", "2", "2", "2 noted", "0"])
  }

  @Test("A record that comes back after its notice has all values and its place")
  func back() throws {
    try CarryingLaunch.make(folder, clock)
    for number in 0..<5 { _ = launch(CarryingLaunch.End.allCases[number % 2]) }
    for _ in 0..<2 {
      let launch = CarryingLaunch(folder, clock, lost: 1)
      #expect(launch.outcome == "0")
      #expect(launch.drafts.sorted() == CarryingLaunch.all.sorted())
      #expect(launch.app.children.compactMap(\.restorationIdentifier) == ["first", "lost", "last"])
      launch.end(.terminated)
    }
    // The record was restored, so the launches without its kind are counted from one again.
    #expect((1...6).map { _ in launch() } == ["2", "2", "2", "2", "2 noted", "0"])
  }

  @Test("Thirty days after the first launch without its kind, a record is said to go, and goes")
  func days() throws {
    try CarryingLaunch.make(folder, clock)
    #expect([0, 29.9, 0.1, 0].map { launch(days: $0) } == ["2", "2", "2 noted", "0"])
  }

  @Test("A clock that was a year ahead once, or that goes back, removes nothing")
  func clocks() throws {
    for ahead in 0..<3 {
      try? FileManager.default.removeItem(at: folder)
      try CarryingLaunch.make(folder, clock)
      for number in 0..<5 {
        let year = number == ahead ? 365.0 : 0
        _ = launch(days: year, launches: 100)
        clock.advance(days: -year)
      }
      #expect(drafts() == CarryingLaunch.all.sorted(), "\(ahead)")
    }
    try? FileManager.default.removeItem(at: folder)
    try CarryingLaunch.make(folder, clock)
    for _ in 0..<8 { #expect(launch(days: -100, launches: 100) == "2") }
    // The days are counted from the time of the first launch without the kind. No day counts while
    // the clock is behind that time.
    #expect([699, 1, 29].map { launch(days: $0, launches: 100) } == ["2", "2", "2"])
    #expect([1, 0].map { launch(days: $0, launches: 100) } == ["2 noted", "0"])
  }

  @Test("A clock that was behind once, and is right again, removes nothing")
  func behindOnce() throws {
    for behind in 1..<4 {
      try? FileManager.default.removeItem(at: folder)
      try CarryingLaunch.make(folder, clock)
      for number in 0..<6 {
        let days = number == behind ? -400.0 : 0
        #expect(launch(days: days, launches: 100) == "2", "\(behind), \(number)")
        clock.advance(days: -days)
      }
    }
  }

  @Test("Launches that want nothing, or the minimum, lose nothing in a year")
  func declined() throws {
    try CarryingLaunch.make(folder, clock)
    for number in 0..<9 {
      let extent = [Restoration.Extent.nothing, .minimum][number % 2]
      let end = CarryingLaunch.End.allCases[number % 3]
      let outcome = launch(days: 40, end, extent: extent)
      #expect(outcome == (extent == .minimum ? "4" : "5"), "\(number)")
    }
    #expect(drafts() == CarryingLaunch.all.sorted())
    // These launches also do not lose a record whose removal the report has announced.
    #expect(launch() == "2 noted")
    for _ in 0..<3 { #expect(launch(extent: .minimum) == "4") }
    #expect(drafts() == CarryingLaunch.all.sorted())
  }

  @Test("Launches that restore no record do not count, but the days do")
  func nothingRestored() throws {
    try CarryingLaunch.make(folder, clock)
    for _ in 0..<9 { #expect(launch(kept: false) == "4") }
    #expect(drafts() == CarryingLaunch.all.sorted())
    // The report has announced a removal because of the number of launches. A launch that restores
    // nothing does not make this removal.
    for _ in 0..<3 { _ = launch() }
    #expect(launch() == "2 noted")
    #expect(launch(kept: false) == "4")
    #expect(drafts() == CarryingLaunch.all.sorted())
    #expect([0, 31].map { launch(days: $0, kept: false) } == ["4", "4 noted"])
  }

  @Test("A record of a newer version is carried by the older app, and the newer app has it again")
  func newerVersion() throws {
    try CarryingLaunch.make(folder, clock, version: 3)
    for end in CarryingLaunch.End.allCases {
      let launch = CarryingLaunch(folder, clock, lost: 1)
      #expect(launch.outcome == "2")
      // Meanwhile, a screen of the older app has the place of the record.
      let other = Form()
      other.restorationIdentifier = "lost"
      other.draft = "other"
      try launch.app.append(other)
      try launch.restoration.save()
      other.removeFromParent()
      launch.end(end)
    }
    let launch = CarryingLaunch(folder, clock, lost: 3)
    #expect(launch.drafts.sorted() == CarryingLaunch.all.sorted())
    #expect(launch.restoration.report.problems == [])
  }
}
