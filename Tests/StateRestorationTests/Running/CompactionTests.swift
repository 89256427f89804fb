import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("An archive stays within its limits, and tells how it is to be stored")
struct CompactionTests {
  /// A store of one archive in memory. It appends or replaces bytes in the same cases as a folder.
  private struct Shelf {
    var bytes: [UInt8] = []
    var stored: StateArchive?
    var appended = 0
    var replaced = 0
    /// The number of bytes that the last replacement stored.
    var base = 0

    var archive: StateArchive { StateArchive(bytes: bytes) }

    mutating func store(_ archive: StateArchive) {
      switch archive.change(from: stored) {
      case .none: break
      case .append(let more):
        bytes += more
        appended += 1
      case .replace(let all):
        bytes = all
        base = all.count
        replaced += 1
      }
      stored = archive
      #expect(bytes == archive.bytes)
    }
  }

  @Test("A thousand saves of changes never take more than twice the state and one change")
  func compacts() throws {
    let (world, forms) = try World.forms(20)
    var shelf = Shelf()
    shelf.store(world.archive)
    for number in 0..<1_000 {
      forms[number % 20].draft = "d \(number)"
      shelf.store(world.restoration.archiveChanges(of: world.app))
      #expect(shelf.bytes.count <= 2 * shelf.base + 200)
    }
    #expect(shelf.appended + shelf.replaced == 1_001)
    #expect((20...200).contains(shelf.replaced))
    #expect(try World.drafts(shelf.archive) == (980..<1_000).map { "d \($0)" })
    shelf.store(world.restoration.archiveChanges(of: world.app))
    #expect(shelf.appended + shelf.replaced == 1_001)
  }

  @Test("Changes are appended to the archive of the launch, also after a step that failed")
  func afterLaunch() throws {
    let (world, _) = try World.forms(50)
    var shelf = Shelf()
    shelf.store(world.archive)
    let stored = StateArchive(bytes: shelf.bytes)
    shelf.stored = stored
    let again = try World.restored(stored)
    (again.app.children[0] as? Form)?.draft = "one"
    // This archive is not stored, as if its write had failed. So the next step has both changes.
    _ = again.restoration.archiveChanges(of: again.app)
    (again.app.children[1] as? Form)?.draft = "two"
    shelf.store(again.restoration.archiveChanges(of: again.app))
    #expect(shelf.appended == 1)
    #expect(try World.drafts(shelf.archive).prefix(2) == ["one", "two"])
    #expect(stored.change(from: stored) == .none)
    #expect(stored.change(from: nil) == .replace(stored.bytes))
    #expect(stored.change(from: StateArchive(bytes: stored.bytes)) == .replace(stored.bytes))
  }

  @Test("Behind bytes that belong to no complete save nothing is appended")
  func afterUnusedBytes() throws {
    let (world, forms) = try World.forms(50)
    let base = world.archive
    forms[0].draft = "lost"
    let cut = StateArchive(
      bytes: world.restoration.archiveChanges(of: world.app).bytes.prefix(base.count + 20))
    let again = try World.restored(cut)
    (again.app.children[1] as? Form)?.draft = "two"
    var shelf = Shelf()
    shelf.bytes = cut.bytes
    shelf.stored = cut
    shelf.store(again.restoration.archiveChanges(of: again.app))
    #expect(shelf.replaced == 1)
    #expect(try World.drafts(shelf.archive).prefix(2) == ["draft 0", "two"])
  }

  @Test("An archive over the limit is refused by one line, and the last one stays")
  func tooLarge() throws {
    let (world, forms) = try World.forms(10)
    let base = world.archive
    world.restoration.limits.archiveBytes = base.count + 50
    forms[0].draft = String(repeating: "x", count: 200)
    forms[1].draft = "small"
    for _ in 0..<3 {
      #expect(world.restoration.archiveChanges(of: world.app) == base)
      #expect(world.archive == base)
    }
    let problems = world.restoration.report.problems
    #expect(problems.count == 1)
    for part in ["not saved", "\(base.count + 50)"] {
      #expect(problems.first?.contains(part) == true)
    }
    // Nothing is lost: when there is room again, all changes are in the next archive.
    world.restoration.limits.archiveBytes = 1 << 20
    let next = world.restoration.archiveChanges(of: world.app)
    #expect(try World.drafts(next).prefix(2) == [forms[0].draft, "small"])
  }

  @Test("Where only the appended part is too large, the whole tree is written anew")
  func tooLargeWithChanges() throws {
    let (world, forms) = try World.forms(10)
    let base = world.archive
    world.restoration.limits.archiveBytes = base.count + 20
    for number in 10..<20 {
      forms[0].draft = "draft \(number)"
      #expect(
        try World.drafts(world.restoration.archiveChanges(of: world.app))[0]
          == "draft \(number)")
    }
    #expect(world.restoration.report.problems.isEmpty)
  }

  @Test("More records than the limit are refused, and deeper ones are left out")
  func recordsAndDepth() throws {
    let (world, _) = try World.forms(10)
    let base = world.archive
    world.restoration.limits.records = 11
    try world.screen("one more")
    #expect(world.restoration.archiveChanges(of: world.app) == base)
    #expect(world.restoration.report.problems.first?.contains("12 records") == true)
    world.restoration.limits.records = 1_000
    world.restoration.limits.depth = 3
    var parent: Responder = world.app
    for _ in 0..<5 { parent = try world.screen("deep", below: parent) }
    for archive in [world.restoration.archiveChanges(of: world.app), world.archive] {
      let again = try World.restored(archive)
      #expect(again.find("deep", "deep", "deep") != nil)
      #expect(again.find("deep", "deep", "deep")?.children.count == 0)
      #expect(again.restoration.report.count(.dropped) == 0)
    }
    #expect(world.restoration.report.problems.count == 2)
    #expect(world.restoration.report.problems.last?.contains("deeper than 3") == true)
  }
}
