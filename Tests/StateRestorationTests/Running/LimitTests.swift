import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("An archive stays within its limits")
struct LimitTests {
  @Test("An archive over the limit is refused by one line, and the last one stays")
  func tooLarge() throws {
    let (world, forms) = try World.forms(10)
    let base = world.archive
    world.restoration.limits.archiveBytes = base.count + 50
    forms[0].draft = String(repeating: "x", count: 200)
    forms[1].draft = "small"
    for _ in 0..<3 {
      #expect(world.restoration.archive(of: world.app, asksAll: false) == base)
      #expect(world.archive == base)
    }
    let problems = world.restoration.report.problems
    #expect(problems.count == 1)
    for part in ["not saved", "\(base.count + 50)"] {
      #expect(problems.first?.contains(part) == true)
    }
    // Nothing is lost: when there is room again, all changes are in the next archive.
    world.restoration.limits.archiveBytes = 1 << 20
    let next = world.restoration.archive(of: world.app, asksAll: false)
    #expect(try World.drafts(next).prefix(2) == [forms[0].draft, "small"])
  }

  @Test("More records than the limit are refused, and deeper ones are left out")
  func recordsAndDepth() throws {
    let (world, _) = try World.forms(10)
    let base = world.archive
    world.restoration.limits.records = 11
    try world.screen("one more")
    #expect(world.restoration.archive(of: world.app, asksAll: false) == base)
    #expect(world.restoration.report.problems.first?.contains("12 records") == true)
    world.restoration.limits.records = 1_000
    world.restoration.limits.depth = 3
    var parent: Responder = world.app
    for _ in 0..<5 { parent = try world.screen("deep", below: parent) }
    for archive in [world.restoration.archive(of: world.app, asksAll: false), world.archive] {
      let again = try World.restored(archive)
      #expect(again.find("deep", "deep", "deep") != nil)
      #expect(again.find("deep", "deep", "deep")?.children.count == 0)
      #expect(again.restoration.report.count(.dropped) == 0)
    }
    #expect(world.restoration.report.problems.count == 2)
    #expect(world.restoration.report.problems.last?.contains("deeper than 3") == true)
  }
}
