import LineageTestSupport
import ResponderChain
import Testing

@Suite("Owned responders")
@MainActor
struct OwnedTests {
  private static func owned(by responder: Responder) -> [String] {
    var lines: [String] = []
    responder.forEachOwned { lines.append("\($1) \($0.debugName ?? "?")") }
    return lines
  }

  @Test("They are visited with their roles, in the order of descendants")
  func roles() throws {
    let screen = Screen("screen")
    #expect(Self.owned(by: screen) == [])
    try screen.setRootView(Page("view"))
    #expect(Self.owned(by: screen) == ["rootView view"])
    try screen.append(Screen("a"))
    try screen.append(Screen("b"))
    try screen.present(Screen("shown"))
    #expect(
      Self.owned(by: screen) == ["rootView view", "child a", "child b", "presented shown"])
    #expect(screen.ownedCount == 4)
    #expect(screen.children.map(\.parentRole) == [.child, .child])
    #expect(screen.rootView?.parentRole == .rootView)
    #expect(screen.presented?.parentRole == .presented)
    #expect(screen.parentRole == .child, "a top has the role of a child")
  }

  @Test("The closure may change the tree")
  func changes() throws {
    let screen = Screen("screen")
    for name in ["a", "b", "c"] { try screen.append(Page(name)) }
    var names: [String] = []
    screen.forEachOwned { responder, _ in
      names.append(responder.debugName ?? "?")
      responder.removeFromParent()
      try? screen.append(Page("new"))
    }
    #expect(names == ["a", "b", "c"])
    #expect(screen.ownedCount == 3)
    #expect(screen.checkInvariants() == [])
  }
}
