import LineageTestSupport
import ResponderChain
import Testing

@Suite("Actions")
struct ActionTests {
  struct Save { let number: Int }
  struct Close {}

  @Test("The nearest handler gets the action, with its responder", arguments: Strategy.allCases)
  func nearest(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    var log: [String] = []
    tree.application.on(Save.self) { me, save in log.append("\(me.debugLabel) \(save.number)") }
    tree.left.on(Save.self) { (me: Screen, save: Save) in
      log.append("\(me.debugLabel) \(save.number)")
    }
    #expect(tree.leaf.send(Save(number: 1)).isHandled)
    guard case .handled(let responder) = tree.uncle.send(Save(number: 2)) else {
      Issue.record("not handled")
      return
    }
    #expect(responder === tree.application)
    #expect(log == ["Screen \"left\" 1", "Application 2"])
  }

  @Test(
    "A declined action goes on up; an unhandled one says where it ended",
    arguments: Strategy.allCases)
  func declined(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    var log: [String] = []
    tree.page.on(Save.self) { (me: Page, _: Save) -> ActionReply in
      log.append(me.debugLabel)
      return .declined
    }
    tree.left.on(Save.self) { (me: Screen, save: Save) -> ActionReply in
      log.append(me.debugLabel)
      return save.number > 1 ? .handled : .declined
    }
    guard case .unhandled(let end) = tree.leaf.send(Save(number: 1)) else {
      Issue.record("handled")
      return
    }
    #expect(end === tree.application)
    #expect(log == ["Page \"page\"", "Screen \"left\""])
    guard case .handled(let by) = tree.leaf.send(Save(number: 2)) else {
      Issue.record("not handled")
      return
    }
    #expect(by === tree.left)
    guard case .unhandled(let top) = tree.leaf.send(Close()) else {
      Issue.record("handled")
      return
    }
    #expect(top === tree.application)
  }

  @Test("A handler is found through a presented controller", arguments: Strategy.allCases)
  func presented(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let sheet = Screen("sheet")
    let field = Page("field")
    try sheet.setRootView(field)
    try tree.left.present(sheet)
    var saved = 0
    tree.left.on(Save.self) { _, _ in saved += 1 }
    #expect(field.send(Save(number: 1)).isHandled)
    #expect(saved == 1)
    tree.left.dismiss()
    guard case .unhandled(let end) = field.send(Save(number: 2)) else {
      Issue.record("handled")
      return
    }
    #expect(end === sheet)
  }

  @Test("A handler taken off is skipped; a later one replaces", arguments: Strategy.allCases)
  func off(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    var log: [String] = []
    tree.application.on(Save.self) { _, _ in log.append("application") }
    tree.left.on(Save.self) { _, _ in log.append("first") }
    tree.left.on(Save.self) { _, _ in log.append("second") }
    tree.leaf.send(Save(number: 1))
    tree.left.off(Save.self)
    tree.left.off(Save.self)
    tree.leaf.send(Save(number: 2))
    #expect(log == ["second", "application"])
    tree.left.block(ActionHandler<Save>.self)
    #expect(!tree.leaf.send(Save(number: 3)).isHandled)
  }

  @Test("A handler may change the tree and take itself off", arguments: Strategy.allCases)
  func reentrant(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    var count = 0
    tree.application.on(Close.self) { _, _ in count += 100 }
    tree.left.on(Close.self) { (me: Screen, _: Close) -> ActionReply in
      count += 1
      me.off(Close.self)
      me.removeFromParent()
      return .declined
    }
    #expect(!tree.leaf.send(Close()).isHandled)
    #expect(count == 1)
    #expect(!tree.leaf.send(Close()).isHandled)
  }

  @Test("A handler that is provided to another type of responder declines")
  func elsewhere() async {
    await #expect(processExitsWith: .success) { @MainActor in
      let tree = try SmallTree()
      tree.left.on(Save.self) { me, _ in withExtendedLifetime(me.rootView) {} }
      let handler = try tree.left.require(ActionHandler<Save>.self)
      tree.uncle.provide(handler, for: ActionHandler<Save>.self)
      #expect(!tree.uncle.send(Save(number: 1)).isHandled)
    }
  }
}
