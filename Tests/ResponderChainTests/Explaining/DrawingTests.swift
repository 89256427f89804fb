import LineageTestSupport
import ResponderChain
import Testing

@Suite("Drawings")
struct DrawingTests {
  @Test("A dump has a line for each responder, with its slots", arguments: Strategy.allCases)
  func dump(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    try tree.left.present(Screen("sheet"))
    tree.application.provide(Notebook("root"))
    tree.application.provide(Theme("dark"))
    tree.left.branch(Notebook.self, .keep)
    _ = tree.page.expect(Session.self)
    tree.leaf.block(Theme.self)
    #expect(
      tree.application.dump() == """
        Application — Notebook: value, Theme: value
          Screen "left" — Notebook: branch, keep
            root view Page "page" — Session: pending
              Page "leaf" — Theme: block
            presented Screen "sheet"
          Screen "right"
            root view Page "uncle"
        """)
    #expect(tree.page.dump().hasPrefix("Page \"page\" — Session: pending\n  Page \"leaf\""))
  }

  @Test("A Mermaid drawing shows links and slots", arguments: Strategy.allCases)
  func mermaid(_ strategy: Strategy) throws {
    let application = Application(strategy: strategy)
    let screen = Screen("a")
    try application.append(screen)
    try screen.present(Screen("b"))
    application.provide(Theme("dark"))
    #expect(
      application.mermaid() == """
        flowchart TD
          n0["Application<br/>Theme: value"]
          n1["Screen #quot;a#quot;"]
          n0 --> n1
          n2["Screen #quot;b#quot;"]
          n1 -. presents .-> n2
        """)
  }

  @Test("A path names types and names; a long one shows its ends")
  func path() throws {
    let tree = try SmallTree()
    #expect("\(tree.uncle)" == "Page \"uncle\" in Screen \"right\" in Application")
    tree.uncle.debugName = nil
    #expect(tree.uncle.path == "Page in Screen \"right\" in Application")
    var bottom: Responder = tree.uncle
    for number in 0..<20 {
      let next = Page("\(number)")
      try bottom.append(next)
      bottom = next
    }
    #expect(
      bottom.path
        == "Page \"19\" in Page \"18\" in Page \"17\" in Page \"16\" in Page \"15\" in Page \"14\" "
        + "in … 13 more … in Page \"0\" in Page in Screen \"right\" in Application")
  }

  @Test("Names and types in any letters leave the drawings whole")
  func oddNames() throws {
    final class Generic<Element>: Controller {}
    struct Save {}
    let application = Application()
    let odd = Generic<Int>()
    odd.debugName = "two\nlines #35; \\ ] -->"
    try application.append(odd)
    application.on(Save.self) { _, _ in }
    #expect(application.mermaid().split(separator: "\n").count == 4)
    #expect(application.dump().split(separator: "\n").count == 2)
    #expect(!application.mermaid().contains("<Int>"))
    #expect(!application.mermaid().contains("<Save>"))
  }
}
