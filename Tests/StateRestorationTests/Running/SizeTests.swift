import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Large and deep trees are restored without recursion", .hangGuard)
struct SizeTests {
  private final class Node: Controller {
    @Restorable("number") var number = 0
  }

  private static func restoration() -> Restoration {
    let restoration = Restoration { Kind("node", Node.init) }
    restoration.limits.depth = 100_000
    return restoration
  }

  @Test("A chain of 20,000 responders")
  func chain() throws {
    let app = Application()
    var parent: Responder = app
    for number in 0..<20_000 {
      let node = Node()
      node.restorationIdentifier = "node"
      node.number = number
      try parent.append(node)
      parent = node
    }
    let archive = Self.restoration().archive(of: app)
    let again = Application()
    let restoration = Self.restoration()
    again.launch(restoring: restoration, from: archive)
    #expect(restoration.report.count(.restored) == 20_001)
    var count = 0
    for case let node as Node in again.descendants {
      if node.number == count { count += 1 }
    }
    #expect(count == 20_000)
    #expect(restoration.archive(of: again).count == archive.count)
  }

  @Test("100,000 siblings")
  func siblings() throws {
    let app = Application()
    for number in 0..<100_000 {
      let node = Node()
      node.restorationIdentifier = "node"
      node.number = number
      try app.append(node)
    }
    let archive = Self.restoration().archive(of: app)
    let again = Application()
    let restoration = Self.restoration()
    again.launch(restoring: restoration, from: archive)
    #expect(again.children.count == 100_000)
    #expect((again.children[99_999] as? Node)?.number == 99_999)
    (again.children[5] as? Node)?.number = -1
    let next = restoration.archive(of: again, asksAll: false)
    #expect(next.count - archive.count < 100)
  }

  @Test("Beyond the limit of depth, records are removed, and the report says so")
  func tooDeep() throws {
    let app = Application()
    var parent: Responder = app
    for _ in 0..<10 {
      let node = Node()
      node.restorationIdentifier = "node"
      try parent.append(node)
      parent = node
    }
    let archive = Self.restoration().archive(of: app)
    let restoration = Restoration { Kind("node", Node.init) }
    restoration.limits.depth = 4
    let again = Application()
    again.launch(restoring: restoration, from: archive)
    #expect(again.descendants.reduce(0) { count, _ in count + 1 } == 4)
    #expect(restoration.report.count(.dropped) == 6)
  }
}
