import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A tree is the same after a restart")
struct RoundTripTests {
  @Test("Three levels are made, linked and decoded phase by phase")
  func threeLevels() throws {
    let app = App()
    app.launch()
    app.theme = "dark"
    let top = Screen(Events(), "screen")
    try app.append(top)
    top.zoom = 2
    let middle = Screen(Events(), "screen")
    try top.append(middle)
    middle.note = "middle"
    let form = Form()
    form.restorationIdentifier = "form"
    try middle.append(form)
    form.selection = 3
    form.draft = "half"
    form.days = [1, -2, 3]

    let archive = makeRestoration(Events()).archive(of: app)
    let events = Events()
    let again = App(events)
    let restoration = makeRestoration(events)
    again.launch(restoring: restoration, from: archive)

    #expect(restoration.report.problems == [])
    #expect(again.theme == "dark")
    let newTop = try #require(again.children.first as? Screen)
    #expect(newTop.zoom == 2)
    #expect(newTop.note == nil)
    let newMiddle = try #require(newTop.children.first as? Screen)
    #expect(newMiddle.note == "middle")
    let newForm = try #require(newMiddle.children.first as? Form)
    #expect(newForm.selection == 3)
    #expect(newForm.draft == "half")
    #expect(newForm.days == [1, -2, 3])
    #expect(
      events.lines == [
        "make screen", "make screen/screen", "link screen", "link screen", "decode application",
        "decode screen below App", "decode screen below Screen", "finish application",
        "finish screen", "finish screen",
      ])
    #expect(restoration.report.count(.restored) == 4)
    #expect(restoration.archive(of: again).count == archive.count)
  }
}
