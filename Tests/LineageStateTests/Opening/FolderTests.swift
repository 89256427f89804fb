import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The folder of an app")
struct FolderTests {
  let folder: Drawer
  let archives: [StateArchive]

  init() throws {
    folder = try Drawer()
    archives = try Samples.archives()
  }

  /// The file that the next launch uses, as the tool says; nil if there is none.
  private var used: String? {
    let lines = runTool("show", folder.url.path).lines
    let line = lines.first { $0.hasPrefix("The next launch ") }
    return line?.firstMatch(of: /uses (.+)\.$/).map { String($0.1) }
  }

  /// Returns an archive of the sample tree, with the given generation.
  private func archive(generation: UInt8) throws -> [UInt8] {
    let (application, restoration) = try Samples.world()
    var archive = restoration.archive(of: application)
    for _ in 1..<generation { archive = restoration.archive(of: application) }
    return archive.bytes
  }

  /// Returns an archive whose first record does not match its checksum.
  private func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes[34] ^= 1
    return bytes
  }

  @Test("A whole older archive is shown if an item of the newer one's base is damaged")
  func damagedBase() throws {
    try folder.write(damaged(try archive(generation: 3)), "state-0")
    try folder.write(archives[1].bytes, "state-1")
    #expect(used == "state-1")
    try folder.write(damaged(archives[1].bytes), "state-1")
    #expect(used == "state-0")
  }

  @Test("A file that is too large for a launch is named, and not used")
  func large() throws {
    let limit = RestorationLimits().archiveBytes
    try folder.write(try archive(generation: 2), "state-0")
    try folder.write(archives[0].bytes, "state-launch")
    #expect(truncate(folder.file("state-0").path, off_t(limit + 1)) == 0)
    for isOther in [false, true] {
      if isOther { try folder.write(archives[1].bytes, "state-1") }
      let result = runTool("show", folder.url.path)
      #expect(
        result.output.contains(
          "state-0: By default, a launch reads at most 67108864 bytes."))
      #expect(used == (isOther ? "state-1" : "state-launch"))
      #expect(FolderFiles(.at(folder.url)).load(RestorationLimits()).newest?.name == used)
    }
    for name in ["state-1", "state-launch"] {
      try FileManager.default.removeItem(at: folder.file(name))
    }
    let result = runTool("show", folder.url.path)
    #expect(result.status == 2)
    #expect(result.lines.contains("The next launch finds no state."))
    // The app may have set a higher limit.
    #expect(result.output.contains("the lowest"))
  }

  @Test("The newer generation is shown, and the older one if the newer cannot be used")
  func generations() throws {
    try folder.write(try archive(generation: 3), "state-0")
    try folder.write(archives[1].bytes, "state-1")
    let good = runTool("show", folder.url.path)
    #expect(good.status == 0)
    #expect(good.output.hasPrefix("state-0: 7 records"))
    #expect(good.lines[1].hasPrefix("state-1: 7 records"))
    #expect(good.lines[2] == "The next launch uses state-0.")
    try folder.write(Array(try archive(generation: 3).prefix(100)), "state-0")
    let damaged = runTool("show", folder.url.path)
    #expect(damaged.status == 1)
    #expect(damaged.output.hasPrefix("state-0: 0 records, 100 bytes"))
    #expect(damaged.output.contains("The archive is damaged: "))
    #expect(used == "state-1")
  }

  @Test("If no generation can be used, the archive of the last launch is shown")
  func atLaunch() throws {
    try folder.write(archives[0].bytes, "state-launch")
    try folder.write([1, 2, 3], "state-1")
    #expect(runTool("show", folder.url.path).status == 2)
    #expect(used == "state-launch")
    try folder.write(archives[0].bytes, "state-0")
    #expect(used == "state-0")
  }

  @Test("A folder without state says so")
  func empty() throws {
    let result = runTool("show", folder.url.path)
    #expect(result.status == 2)
    #expect(result.output == "The next launch finds no state.\n")
  }

  @Test("The tool chooses what a launch chooses")
  func launches() throws {
    let archives = try [
      nil, archives[0].bytes, archives[2].bytes, Array(archives[3].bytes.dropLast(3)),
      archive(generation: 2), Array(archive(generation: 3).prefix(200)), [], [9, 9, 9],
      damaged(archive(generation: 2)), damaged(archives[3].bytes),
    ]
    for zero in archives {
      for one in archives {
        for last in [nil, archives[1], archives[7]] {
          let folder = try Drawer()
          for (bytes, name) in [(zero, "state-0"), (one, "state-1"), (last, "state-launch")] {
            if let bytes { try folder.write(bytes, name) }
          }
          let result = runTool("show", folder.url.path)
          let storage = FolderFiles(.at(folder.url))
          let state = storage.load(RestorationLimits())
          let name = state.newest?.name
          let line = "The next launch " + (name.map { "uses \($0)." } ?? "finds no state.")
          #expect(result.lines.contains(line), "\(result.output)")
        }
      }
    }
  }

  @Test("Reports are printed, and damaged ones are found")
  func reports() throws {
    try folder.write(archives[0].bytes, "state-0")
    let text = """
      [
      {"appVersion":"1.2","counts":{"carried":1,"restored":41},"date":"2026-11-23T23:33:16Z",\
      "generation":7,"launch":12,"notes":["state-1 was used."],"problems":["A \\u001b[31mtext"],\
      "records":[{"kind":"deck","outcome":"carried","path":["deck","card"],"reason":"No kind."}]},
      {"appVersion":"","counts":{},"date":"2026-11-24T00:00:00Z","generation":0,"launch":13,\
      "notes":[],"problem":"The archive is empty.","problems":[],"records":[]}
      ]
      """
    try folder.write(Array(text.utf8), "reports.json")
    let result = runTool("show", folder.url.path)
    let expected = #"""
      Launch 12, 2026-11-23T23:33:16Z, version 1.2 of the app, generation 7, 1 carried, 41 restored
        carried: deck › card: No kind.
        A \u001b[31mtext
        state-1 was used.
      Launch 13, 2026-11-24T00:00:00Z, generation 0
        The archive is empty.

      """#
    #expect(result.output.hasSuffix(expected), "\(result.output)")
    #expect(result.status == 0)
    let json = runTool("show", "--json", folder.url.path).output
    let parsed = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    let reports = try #require(parsed?["reports"] as? [[String: Any]])
    #expect(reports.map { $0["launch"] as? Int } == [12, 13])
    #expect(reports[0]["problems"] as? [String] == ["A \u{1B}[31mtext"])
    for damaged in ["", "[", "{}", "[1]", String(repeating: "[", count: 100_000), "[{}]"] {
      try folder.write(Array(damaged.utf8), "reports.json")
      let result = runTool("show", folder.url.path)
      #expect(result.status == 1)
      #expect(result.output.contains("reports.json: It has no reports that can be read."))
    }
  }

  @Test("Archives that a launch has kept are named, and can be shown")
  func kept() throws {
    try folder.write(archives[0].bytes, "state-0")
    let path = try folder.write(archives[1].bytes, "state-1.kept")
    let shown = runTool("show", folder.url.path)
    #expect(shown.status == 0)
    #expect(shown.lines.contains("state-1.kept: A launch that could not restore it has kept it."))
    #expect(shown.lines.contains("The next launch uses state-0."))
    #expect(runTool("show", path).status == 0)
  }

  @Test("The reports that a launch keeps can be read")
  func storedReports() throws {
    let storage = FolderFiles(.at(folder.url))
    _ = storage.load(RestorationLimits())
    _ = try storage.save(archives[0], isDurable: true)
    let application = Samples.application(restoring: archives[0])
    try storage.store(
      SavedReport(
        application.report, Date(timeIntervalSinceReferenceDate: 785_719_996), appVersion: "2.0"))
    let result = runTool("show", folder.url.path)
    #expect(result.status == 0)
    #expect(result.output.contains("\nLaunch 1, 2025-11-24T23:33:16Z, version 2.0 of the app"))
  }

  @Test("Quarantined files are named, and a folder that an app uses can be read")
  func quarantine() throws {
    try folder.write(archives[0].bytes, "state-0")
    let storage = FolderFiles(.at(folder.url))
    #expect(storage.load(RestorationLimits()).refusal == nil)
    let quarantine = folder.file("quarantine")
    try FileManager.default.createDirectory(at: quarantine, withIntermediateDirectories: true)
    try Data([1]).write(to: quarantine.appending(path: "state-0-1"))
    let result = runTool("show", folder.url.path)
    #expect(result.status == 0)
    #expect(result.output.contains("quarantine/state-0-1: A launch could not use it."))
    withExtendedLifetime(storage) {}
  }

  @Test("What the crash guard knows is told by name")
  func guardPage() throws {
    try folder.write(archives[0].bytes, "state-0")
    var page = [UInt8](repeating: 0, count: 4096)
    try folder.write(page, "guard")
    let unused = runTool("show", folder.url.path)
    #expect(unused.status == 0)
    #expect(!unused.output.contains("guard"))
    page.replaceSubrange(0..<16, with: FoundStrikes.magic)
    func put(_ number: UInt64, at place: Int) {
      withUnsafeBytes(of: number.littleEndian) { page.replaceSubrange(place..<place + 8, with: $0) }
    }
    let nodes = ArchiveInspection(archives[0].bytes).nodes
    func place(_ name: String) throws -> StrikePlace {
      StrikePlace(try #require(nodes.first { $0.header?.identifier == name }?.header?.id))
    }
    let (notes, note) = (try place("notes"), try place("note"))
    var book = StrikeBook(version: "1.2")
    for place in [nil, notes, note, note] { _ = book.begin(version: "1.2", lastEnd: place) }
    for offset in FoundStrikes.bookOffsets {
      page.replaceSubrange(offset..<offset + book.encoded.count, with: book.encoded)
    }
    put(try place("below").number, at: 16)
    put(book.launch, at: 24)
    try folder.write(page, "guard")
    let result = runTool("show", folder.url.path)
    #expect(result.status == 0)
    let expected: [String] = [
      "guard: One launch has ended while a record was restored (notes), in version 1.2 of the app.",
      "guard: Left out: 2 launches have ended while a record was restored (notes › note), "
        + "in version 1.2 of the app.",
      "guard: The last process ended while a record was restored (notes › note (2) › below), "
        + "in version 1.2 of the app.",
    ]
    #expect(Array(result.lines.dropFirst().prefix(3)) == expected)
    var random = SplitMix64(seed: SplitMix64.seed(33))
    for _ in 0..<500 {
      try folder.write(Forgery.damage(page, &random), "guard")
      #expect(runTool("show", folder.url.path).complaint == nil)
    }
    page[8] = 3
    for bytes in [page, page + page, Array(page.prefix(100))] {
      try folder.write(bytes, "guard")
      let newer = runTool("show", folder.url.path)
      #expect(newer.status == 2)
      #expect(newer.output.contains("guard: It has format 3, which is newer than 2."))
    }
    try folder.write(Array("nonsense".utf8), "guard")
    let damaged = runTool("show", folder.url.path)
    #expect(damaged.status == 1)
    #expect(damaged.output.contains("guard: It is not a page of the crash guard."))
  }
}

extension Samples {
  /// Launches an application with an archive, and returns its restoration.
  static func application(restoring archive: StateArchive) -> Restoration {
    let (application, restoration) = (Application(), makeRestoration())
    application.provide(Notebook("root"))
    application.launch(restoring: restoration, from: archive)
    return restoration
  }
}
