import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Times and numbers that no program has written")
struct ForgedHeaderTests {
  private let drawer: Drawer
  private var folder: URL { drawer.file("state") }
  private let clock = ManualSaveClock()

  init() throws { drawer = try Drawer() }

  /// Makes a folder with a record that one launch has carried. Returns the name and the bytes of
  /// the newest archive.
  private func make() throws -> (name: String, bytes: [UInt8]) {
    try CarryingLaunch.make(folder, clock)
    CarryingLaunch(folder, clock).end(.saved)
    let state = FolderFiles(.at(folder)).load(RestorationLimits())
    let newest = try #require(state.newest)
    return (newest.name, newest.tree.archive.bytes)
  }

  @Test("A forged time or count of a carried record neither crashes a launch nor removes a record")
  func carried() throws {
    let (name, bytes) = try make()
    var forgery = Forgery(bytes)
    let index = try #require(
      forgery.items.lastIndex { item in
        Data(item.payload).range(of: Data("draft of lost".utf8)) != nil
      })
    let payload = forgery.items[index].payload
    // The last 12 bytes of the record are the number of launches, the time, the flags, and empty
    // lists of contexts and slots.
    let head = Array(payload.dropLast(12))
    #expect(payload.suffix(12).first == 1)
    let times: [Double] = [
      .nan, .signalingNaN, .infinity, -.infinity, 1e300, -1e300, 1e11, -1e11, 1e18,
      .leastNonzeroMagnitude, -0.0,
    ]
    let counts: [[UInt8]] = [
      [1], [127], [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
    ]
    for (number, time) in times.enumerated() {
      // The counts are tried with the first time only.
      for count in number == 0 ? counts : [[1]] {
        let bits: [UInt8] = (0..<8).map { UInt8(truncatingIfNeeded: time.bitPattern >> (8 * $0)) }
        forgery.items[index].payload = head + count + bits + Array(repeating: 0, count: 3)
        try Data(forgery.bytes).write(to: folder.appending(path: name))
        let launch = CarryingLaunch(folder, clock)
        #expect(launch.outcome.hasPrefix("2"), "\(time), \(count)")
        launch.end(.saved)
        #expect(
          CarryingLaunch(folder, clock, lost: 1).drafts.sorted() == CarryingLaunch.all.sorted(),
          "\(time), \(count)")
      }
    }
  }

  @Test("A changed byte of the format is damage, and a header that may be another format's is not")
  func formats() throws {
    let (_, bytes) = try make()
    for format in UInt8.min...UInt8.max where format != 3 {
      var changed = bytes
      changed[8] = format
      let problem = StateArchive(bytes: changed).validate().fault
      #expect(problem == .damaged("its header"), "\(format)")
      let other: StateArchive.Fault =
        format > 3 ? .newerFormat(Int(format)) : .olderFormat(Int(format))
      let forged = Forgery.forge(bytes, format: format)
      #expect(StateArchive(bytes: forged).validate().fault == other)
      // Another format may have another header, or a checksum of another kind.
      changed[20] ^= 1
      #expect(StateArchive(bytes: changed).validate().fault == other)
      changed = Array(changed[..<20])
      #expect(StateArchive(bytes: changed).validate().fault == other)
    }
  }

  @Test("A file whose byte of the format was changed is replaced like any damaged one")
  func changedFormat() throws {
    do {
      let world = StoredWorld(folder)
      for note in ["older", "newer"] {
        if world.screen == nil { try world.screen("screen") }
        world.screen?.change(note)
        try world.restoration.save()
      }
    }
    let file = folder.appending(path: "state-1")
    var bytes = Array(try fileBytes(file))
    bytes[8] ^= 0x40
    try Data(bytes).write(to: file)
    do {
      let world = StoredWorld(folder)
      #expect(world.screen?.note == "older")
      world.screen?.change("saved")
      try world.restoration.save()
      #expect(try names(in: folder.appending(path: "quarantine")) == ["state-1.1"])
    }
    let world = StoredWorld(folder)
    #expect(world.screen?.note == "saved")
    #expect(world.restoration.report.problems == [])
  }

  @Test("After any forged generation, the launch goes on, and its saves are read")
  func generations() throws {
    let (name, bytes) = try make()
    let (most, limit): (UInt64, UInt64) = (1 << 61, 1 << 62)
    let all = [
      0, 3, 1 << 40, most - 2, most - 1, most, limit - 2, limit - 1, limit, limit + 1, .max,
    ]
    for generation in all {
      try? FileManager.default.removeItem(at: folder.appending(path: "quarantine"))
      let forged = Forgery.forge(bytes, generation: generation)
      try Data(forged).write(to: folder.appending(path: name))
      let launch = CarryingLaunch(folder, clock, lost: 1)
      #expect(launch.drafts.sorted() == CarryingLaunch.all.sorted(), "\(generation)")
      let problems = launch.restoration.report.problems
      #expect(problems.contains { $0.contains("damaged") } == (generation >= limit))
      let isMoved = generation >= most
      #expect(problems.isEmpty == !isMoved, "\(generation): \(problems)")
      let form = try #require(launch.app.children.first as? Form)
      // The first launch saves a change by itself, the second one terminates.
      for (end, draft) in [(CarryingLaunch.End.killed, "changed"), (.terminated, "again")] {
        form.draft = draft
        launch.end(end)
        guard end == .terminated else { continue }
        #expect(CarryingLaunch(folder, clock, lost: 1).drafts.contains(draft), "\(generation)")
      }

      let moved = (try? names(in: folder.appending(path: "quarantine"))) ?? []
      #expect(moved.count == (isMoved ? 1 : 0), "\(generation): \(moved)")
      for name in ["state-0", "state-1"] {
        try Data(bytes).write(to: folder.appending(path: name))
      }
    }
  }

  @Test("A forged archive without changes is written with a usable generation")
  func unchanged() throws {
    let (name, bytes) = try make()
    for other in ["state-0", "state-1"] where other != name {
      try? FileManager.default.removeItem(at: folder.appending(path: other))
    }
    let forged = Forgery.forge(bytes, generation: 1 << 61)
    try Data(forged).write(to: folder.appending(path: name))
    for _ in 0..<2 { CarryingLaunch(folder, clock, lost: 1).end(.terminated) }
    let stored = FolderFiles(.at(folder)).load(RestorationLimits())
    #expect(stored.generation < 10)
    #expect(stored.newest?.tree.findings.generation == stored.generation)
  }

  @Test("Restoring a forged archive into a running application harms no later save")
  func restored() throws {
    let (_, bytes) = try make()
    let forged = Forgery.forge(bytes, generation: 1 << 62 - 1)
    do {
      let launch = CarryingLaunch(folder, clock, lost: 1)
      launch.restoration.restore(StateArchive(bytes: forged), into: launch.app)
      (launch.app.children.first as? Form)?.draft = "changed"
      launch.end(.killed)
    }
    #expect(CarryingLaunch(folder, clock, lost: 1).drafts.contains("changed"))
  }
}
