import LineageTestSupport
import ResponderChain
import Testing

@Suite("The tree")
struct TreeTests {
  @Test(
    "Inserting an ancestor under its descendant is refused with both paths",
    arguments: Strategy.allCases)
  func cycle(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let before = tree.application.dump()
    let error = #expect(throws: TreeError.self) { try tree.leaf.append(tree.left) }
    #expect(
      error?.description
        == "Cannot insert Screen \"left\" in Application under Page \"leaf\" in Page \"page\" in "
        + "Screen \"left\" in Application: it would be its own ancestor.")
    #expect(throws: TreeError.self) { try tree.leaf.append(tree.leaf) }
    #expect(throws: TreeError.self) { try tree.left.move(to: tree.page) }
    #expect(throws: TreeError.self) { try tree.leaf.insert(tree.page, at: 0) }
    #expect(tree.application.dump() == before)
  }

  @Test("An application is always a root")
  func applications() throws {
    let tree = try SmallTree()
    let error = #expect(throws: TreeError.self) { try tree.left.append(Application()) }
    #expect(
      error?.description
        == "Cannot insert Application under Screen \"left\" in Application: an application is "
        + "always a root.")
    #expect(throws: TreeError.self) { try tree.leaf.append(tree.application) }
  }

  @Test("An attached controller is not presented, and nobody presents two")
  func presenting() throws {
    let tree = try SmallTree()
    let sheet = Screen("sheet")
    try tree.left.present(sheet)
    #expect(
      #expect(throws: TreeError.self) { try tree.left.present(tree.right) }?.description
        == "Cannot present Screen \"right\" in Application from Screen \"left\" in Application: it "
        + "is attached already.")
    #expect(
      #expect(throws: TreeError.self) { try tree.left.present(Screen("other")) }?.description
        == "Cannot present Screen \"other\" from Screen \"left\" in Application, which presents "
        + "another controller.")
    #expect(tree.left.presented === sheet)
    #expect(throws: TreeError.self) { try sheet.present(tree.left) }
  }

  @Test("A child that is appended or inserted where it is moves there", arguments: 0..<3, 0...3)
  func insertedAgain(_ from: Int, _ index: Int) throws {
    let parent = Controller()
    let children = ["a", "b", "c"].map { Screen($0) }
    for child in children { try parent.append(child) }
    var expected = ["a", "b", "c"]
    let moved = expected[from]
    expected.removeAll { $0 == moved }
    expected.insert(moved, at: min(index, expected.count))
    try parent.insert(children[from], at: index)
    #expect(parent.children.map { $0.debugName ?? "" } == expected)
    try parent.append(children[from])
    #expect(parent.children.last === children[from] && parent.children.count == 3)
  }

  @Test("A callback that takes siblings away while a child comes back leaves a place at the end")
  func shrinking() throws {
    let parent = Controller()
    let children = ["a", "b", "c"].map { Screen($0) }
    for child in children { try parent.append(child) }
    children[2].onDetach = { [first = children[0], second = children[1]] _ in
      first.removeFromParent()
      second.removeFromParent()
    }
    try parent.insert(children[2], at: 2)
    #expect(parent.children.map(\.debugName) == ["c"])
  }

  @Test("Moving among children names a stranger")
  func strangers() throws {
    let tree = try SmallTree()
    let error = #expect(throws: TreeError.self) { try tree.application.reorder(tree.leaf, to: 0) }
    #expect(
      error?.description
        == "Page \"leaf\" in Page \"page\" in Screen \"left\" in Application is not a child of "
        + "Application.")
    try tree.application.reorder(tree.right, to: 0)
    #expect(tree.application.children.map(\.debugName) == ["right", "left"])
    try tree.application.reorder(tree.right, to: 1)
    #expect(tree.application.children.map(\.debugName) == ["left", "right"])
  }

  @Test(
    "A presented controller is owned by its presenter, comes last, and is no child",
    arguments: Strategy.allCases)
  func presented(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Theme("root"))
    let census = Census()
    let sheetPage = Page("sheet page")
    do {
      let sheet = Screen("sheet", in: census)
      try sheet.setRootView(sheetPage)
      try tree.left.present(sheet)
      #expect(sheet.presenter === tree.left)
      #expect(sheet.nextResponder === tree.left)
    }
    let card = Screen("card")
    try tree.left.append(card)
    #expect(tree.left.children.map(\.debugName) == ["card"])
    #expect(
      tree.left.descendants.map(\.debugName) == ["page", "leaf", "card", "sheet", "sheet page"])
    tree.left.provide(Theme("left"))
    #expect(sheetPage.context(Theme.self) == Theme("left"))
    #expect(census.population == 1)
    tree.left.dismiss()
    #expect(tree.left.presented == nil)
    #expect(census.population == 0)
    #expect(sheetPage.context(Theme.self) == nil)
  }

  @Test("A presented controller leaves with its presenter", arguments: Strategy.allCases)
  func presenterLeaves(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    tree.application.provide(Theme("root"))
    let sheet = Screen("sheet")
    try tree.left.present(sheet)
    let token = log.observe(sheet, Theme.self)
    tree.left.removeFromParent()
    #expect(log.lines == ["sheet value root", "sheet missing"])
    #expect(sheet.presenter === tree.left)
    sheet.removeFromParent()
    #expect(sheet.presenter == nil)
    #expect(tree.left.presented == nil)
    withExtendedLifetime(token) {}
  }

  @Test("The next responder follows the rules, and the chain and depth follow it")
  func next() throws {
    let tree = try SmallTree()
    #expect(tree.leaf.chain.map(\.debugLabel).last == "Application")
    #expect(tree.leaf.chain.map(\.debugName) == ["leaf", "page", "left", nil])
    #expect(tree.leaf.depth == 3)
    #expect(tree.leaf.superview === tree.page)
    #expect(tree.page.superview == nil)
    #expect(tree.page.nextResponder === tree.left)
    #expect(tree.left.rootView === tree.page)
    #expect(tree.leaf.application === tree.application)
    tree.left.removeFromParent()
    #expect(tree.leaf.application == nil)
    #expect(tree.leaf.depth == 2)
  }

  @Test("Attaching and detaching tell the responder, and only it")
  func hooks() throws {
    let tree = try SmallTree()
    var log: [String] = []
    for responder in tree.all {
      responder.onAttach = { log.append("\($0.debugName ?? "app") at \($0.depth)") }
      responder.onDetach = { log.append("\($0.debugName ?? "app") from \($0.depth)") }
    }
    try tree.page.move(to: tree.right)
    #expect(log == ["page from 2", "page at 2"])
    tree.page.removeFromParent()
    tree.page.removeFromParent()
    #expect(log == ["page from 2", "page at 2", "page from 2"])
    try tree.left.setRootView(tree.page)
    try tree.left.setRootView(nil)
    #expect(log.suffix(2) == ["page at 2", "page from 2"])
  }

  @Test(
    "A child that moves on when it is detached is not owned twice", arguments: Strategy.allCases)
  func movingOn(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let child = Screen("child")
    try tree.left.append(child)
    let log = Log()
    let token = log.observe(child, Theme.self)
    child.onDetach = { [right = tree.right] me in
      me.onDetach = nil
      try? right.append(me)
    }
    try tree.application.append(child)
    #expect(child.nextResponder === tree.application)
    #expect(!tree.right.children.contains { $0 === child })
    #expect(tree.application.descendants.filter { $0 === child }.count == 1)
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
    _ = log.take()
    tree.right.provide(Theme("wrong"))
    #expect(log.take() == [])
    withExtendedLifetime(token) {}
  }

  @Test(
    "A view that holds the controller does not become its root view, and nothing changes",
    arguments: Strategy.allCases)
  func rootViewAbove(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let inner = Screen("inner"), shown = Page("shown")
    try tree.leaf.append(inner)
    try inner.setRootView(shown)
    let before = tree.application.dump()
    var detached = 0
    for responder in tree.all { responder.onDetach = { _ in detached += 1 } }
    #expect(throws: TreeError.self) { try inner.setRootView(tree.page) }
    let error = #expect(throws: TreeError.self) { try inner.setRootView(tree.leaf) }
    #expect(
      error?.description
        == "Cannot insert \(tree.leaf.path) under \(inner.path): it would be its own ancestor.")
    #expect(inner.rootView === shown && detached == 0)
    #expect(tree.application.dump() == before)
    try inner.setRootView(tree.uncle)
    #expect(tree.uncle.nextResponder === inner && tree.right.rootView == nil && detached == 2)
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
  }

  @Test("A view into which a callback puts the controller does not become its root view")
  func rootViewFromCallback() throws {
    let screen = Screen("screen"), old = Page("old"), new = Page("new")
    try screen.setRootView(old)
    old.onDetach = { [weak screen] _ in if let screen { try? new.append(screen) } }
    #expect(throws: TreeError.self) { try screen.setRootView(new) }
    #expect(screen.nextResponder === new && screen.rootView == nil && old.nextResponder == nil)
  }

  @Test("The root view that was set last stays, whatever the old one does when it is detached")
  func thirdRootView() throws {
    let screen = Screen("screen")
    let old = Page("old"), second = Page("second"), third = Page("third")
    try screen.setRootView(old)
    old.onDetach = { [weak screen] me in
      me.onDetach = nil
      try? screen?.setRootView(third)
    }
    try screen.setRootView(second)
    #expect(screen.rootView === second)
    #expect(screen.children.isEmpty, "\(screen.dump())")
    #expect(third.nextResponder == nil)
  }
}
