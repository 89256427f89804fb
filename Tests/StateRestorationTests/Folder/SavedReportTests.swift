import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The reports in the folder")
struct SavedReportTests {
  private let drawer: Drawer
  private var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  private struct Line: Decodable {
    let launch: Int
    let appVersion: String
    let generation: UInt64
    let counts: [String: Int]
    let problems: [String]
  }

  private func lines() throws -> [Line] {
    try JSONDecoder().decode(
      [Line].self, from: try fileBytes(folder.appending(path: "reports.json")))
  }

  /// Makes a folder with the state of a reader whose values need a notebook.
  private func prepare() throws {
    let world = StoredWorld(folder)
    world.app.provide(Notebook("root"))
    let reader = Reader(world.events, "reader")
    try world.app.append(reader)
    reader.page = PageNumber(notebook: "root", page: 5)
    reader.mark = PageNumber(notebook: "root", page: 3)
    world.app.terminate()
  }

  @Test("When no value waits any more, the report of that is in the file without a save")
  func second() throws {
    try prepare()
    for launch in 2...5 {
      var delivery: Delivery<Notebook>?
      let world = StoredWorld(in: .at(folder)) { world in
        world.restoration.appVersion = "1.\(launch)"
        delivery = world.app.expect(Notebook.self)
      }
      world.restoration.finishWriting()
      #expect(try lines().last?.counts == ["restored": 1, "waiting": 1])
      delivery?.deliver(Notebook("root"))
      world.app.drain()
      world.restoration.finishWriting()
      // This report has replaced the first report of the launch. The file also has one report for
      // each of the two launches before.
      #expect(try lines().map(\.launch) == Array(max(1, launch - 2)...launch))
      #expect(try lines().last?.counts == ["restored": 2])
      #expect(try lines().last?.appVersion == "1.\(launch)")
      // The process is killed here.
    }
  }

  @Test("A sentence that was found three times has its number in the file")
  func counted() throws {
    final class Fragile: Controller, StateRestoring {
      func encodeRestorableState(with coder: StateEncoder) throws { throw Mishap("no luck") }
      func decodeRestorableState(with coder: StateDecoder) throws {}
    }
    let world = StoredWorld(folder)
    let fragile = Fragile()
    fragile.restorationIdentifier = "fragile"
    try world.app.append(fragile)
    for _ in 0..<3 { try world.restoration.save() }
    let problem = try #require(world.restoration.report.problems.first)
    #expect(try lines().last?.problems == ["\(problem) (3 times)"])
    #expect("\(world.restoration.report)".contains("\(problem) (3 times)"))
  }

  @Test("The greatest generation is in the file as it is")
  func generation() throws {
    try prepare()
    let storage = FolderFiles(.at(folder))
    let state = storage.load(RestorationLimits())
    let world = World()
    let archive = try #require(state.newest?.tree.archive)
    world.app.launch(restoring: world.restoration, from: archive)
    var report = world.restoration.report
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(report), as: UTF8.self)
    #expect(text.contains("\"generation\":1,"))
    report = try forged(archive, (1 << 62) - 1)
    try storage.store(SavedReport(report, Date(), appVersion: ""))
    #expect(try lines().last?.generation == (1 << 62) - 1)
  }

  @Test("Reports of long lines are cut, say how many are left out, and stay readable")
  func longLines() throws {
    let events = Events()
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    for number in 0..<60 {
      let screen = try world.screen("\(number) \"\n" + String(repeating: "x\u{1}", count: 50_000))
      screen.restorationKind = "unknown"
    }
    let archive = world.archive
    for launch in 1...4 {
      let storage = FolderFiles(.at(folder))
      _ = storage.load(RestorationLimits())
      let app = App(events)
      let restoration = makeRestoration(events)
      app.launch(restoring: restoration, from: archive)
      #expect(restoration.report.count(.carried) == 60)
      try storage.store(
        SavedReport(
          restoration.report, Date(), appVersion: String(repeating: "1", count: 5_000_000)))
      struct Whole: Decodable {
        let launch: Int
        let records: [Record]
        let notes: [String]
        struct Record: Decodable {}
      }
      let bytes = try fileBytes(folder.appending(path: "reports.json"))
      #expect(bytes.count < launch * 1_100_000)
      let reports = try JSONDecoder().decode([Whole].self, from: bytes)
      #expect(reports.map(\.launch) == Array(max(1, launch - 2)...launch))
      let last = try #require(reports.last)
      #expect(last.records.count == 2)
      #expect(last.notes.last == "58 other lines of the report have no room in its file.")
    }
  }

  /// Returns the report of a launch with the archive, in which the given generation replaces its
  /// own.
  private func forged(_ archive: StateArchive, _ generation: UInt64) throws -> RestorationReport {
    let world = World()
    let bytes = Forgery.forge(archive.bytes, generation: generation)
    world.app.launch(restoring: world.restoration, from: StateArchive(bytes: bytes))
    return world.restoration.report
  }

  @Test("Launches go on counting after numbers that have no next one")
  func numbers() throws {
    let url = folder.appending(path: "reports.json")
    try prepare()
    for number in [Int.max, Int.min, -1, 0, 41] {
      let text =
        "[{\"launch\":\(number),\"date\":\"\",\"appVersion\":\"\",\"generation\":1,\"counts\":{},"
        + "\"records\":[],\"problems\":[],\"notes\":[]}]"
      try Data(text.utf8).write(to: url)
      for launch in 1...2 {
        StoredWorld(folder).app.terminate()
        struct Head: Decodable { let launch: Int }
        let heads = try JSONDecoder().decode([Head].self, from: try fileBytes(url))
        let first = number == 41 ? 42 : 1
        #expect(heads.map(\.launch) == [number] + Array(first..<first + launch), "\(number)")
      }
    }
  }
}
