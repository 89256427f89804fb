import LineageTestSupport
import ResponderChain
import Testing

@Suite("Trees built bottom-up")
struct BottomUpTests {
  @Test(
    "A tree built bottom-up resolves what one built top-down does", arguments: Strategy.allCases)
  func order(_ strategy: Strategy) throws {
    let root = Notebook("root")
    let leaf = Page("leaf")
    let page = Page("page")
    try page.append(leaf)
    let screen = Screen("screen")
    try screen.setRootView(page)
    #expect(leaf.context(Notebook.self) == nil)
    let application = Application(strategy: strategy)
    application.provide(root)
    try application.append(screen)

    let topDown = try SmallTree(strategy)
    topDown.application.provide(root)
    #expect(leaf.context(Notebook.self) === root)
    #expect(topDown.leaf.context(Notebook.self) === root)
    #expect(leaf.path == "Page \"leaf\" in Page \"page\" in Screen \"screen\" in Application")
  }

  @Test("A slot said before the attachment counts after it", arguments: Strategy.allCases)
  func slotsBefore(_ strategy: Strategy) throws {
    let leaf = Page("leaf")
    let screen = Screen("screen")
    let own = Notebook("own")
    screen.provide(own)
    try screen.setRootView(leaf)
    #expect(leaf.context(Notebook.self) === own)
    let application = Application(strategy: strategy)
    application.provide(Notebook("root"))
    application.provide(Theme("dark"))
    try application.append(screen)
    #expect(leaf.context(Notebook.self) === own)
    #expect(leaf.context(Theme.self) == Theme("dark"))
    screen.removeFromParent()
    #expect(leaf.context(Notebook.self) === own)
    #expect(leaf.context(Theme.self) == nil)
  }

  @Test(
    "A branch said in a detached tree branches where it is attached", arguments: Strategy.allCases)
  func branchBefore(_ strategy: Strategy) throws {
    let leaf = Page("leaf")
    let screen = Screen("screen")
    screen.branch(Notebook.self)
    try screen.setRootView(leaf)
    #expect(leaf.resolve(Notebook.self).description == "missing")
    let application = Application(strategy: strategy)
    let root = Notebook("root")
    application.provide(root)
    try application.append(screen)
    let child = try leaf.require(Notebook.self)
    #expect(child.parent === root)
    #expect(screen.context(Notebook.self) === child)
    #expect(root.childCount == 1)
  }

  @Test(
    "Moving between trees of different strategies changes nothing", arguments: Strategy.allCases)
  func migration(_ strategy: Strategy) throws {
    let first = try SmallTree(strategy)
    first.application.provide(Theme("first"))
    for other in Strategy.allCases {
      let second = try SmallTree(other)
      second.application.provide(Theme("second"))
      #expect(first.leaf.context(Theme.self) == Theme("first"))
      try first.left.move(to: second.right)
      #expect(first.leaf.context(Theme.self) == Theme("second"))
      second.right.provide(Theme("third"))
      #expect(first.leaf.context(Theme.self) == Theme("third"))
      try first.left.move(to: first.application)
      #expect(first.leaf.context(Theme.self) == Theme("first"))
    }
  }
}
