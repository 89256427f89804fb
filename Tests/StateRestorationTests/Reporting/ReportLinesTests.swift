import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The report of a program that saves for a year is bounded")
struct ReportLinesTests {
  @Test("A line stands once, however often it is found")
  func once() throws {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    for _ in 0..<2 { try world.screen("screen") }
    let middle = Controller()
    try world.app.append(middle)
    try world.screen("below", below: middle)
    for _ in 0..<1_000 { _ = world.archive }
    #expect(world.restoration.report.notes.count == 2)
    #expect(world.restoration.report.description.contains("(1000 times)"))
  }

  @Test("Beyond a thousand lines, the report counts")
  func many() throws {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    let middle = Controller()
    try world.app.append(middle)
    let below = try world.screen("below", below: middle)
    for number in 0..<1_500 {
      let parent = try world.screen("parent \(number)")
      for _ in 0..<2 { try world.screen("twin", below: parent) }
    }
    _ = below
    _ = world.archive
    #expect(world.restoration.report.notes.count == 1_000)
    #expect(world.restoration.report.description.contains("And 501 more"))
  }

  @Test("A rehearsal fails by a problem that was reported before")
  func rehearsal() throws {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    let form = Form()
    form.restorationIdentifier = "form"
    form.draft = String(repeating: "x", count: 200)
    world.restoration.limits.valueBytes = 100
    try world.app.append(form)
    for _ in 0..<3 {
      #expect(throws: RehearsalError.self) {
        _ = try world.restoration.rehearse(from: world.app) { App() }
      }
    }
    #expect(world.restoration.report.problems.count == 1)
  }
}
