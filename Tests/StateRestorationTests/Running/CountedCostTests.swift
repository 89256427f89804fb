#if os(Linux)
import CLineageAllocations
import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

/// Tests that count memory in processes of their own, where no other test allocates.
@Suite("The memory of restoration", .disabled(if: isSanitized, "sanitizers allocate themselves"))
struct MemoryTests {
  private final class Node: Controller {
    @Restorable("number") var number = 0
    @Restorable("text") var text = ""
    @Restorable("days") var days: [Int] = []
  }

  private static func restoration() -> Restoration { Restoration { Kind("node", Node.init) } }

  /// Returns the archive of some nodes below the application.
  private static func archive(_ count: Int) throws -> StateArchive {
    let app = Application()
    for number in 0..<count {
      let node = Node()
      node.restorationIdentifier = "node"
      node.number = number
      node.text = "text \(number)"
      node.days = [number]
      try app.append(node)
    }
    return restoration().archive(of: app)
  }

  @Test("An identifier takes at most 224 bytes at a leaf", arguments: [false, true])
  func identifier(isLaunched: Bool) async {
    await #expect(processExitsWith: .success) { [isLaunched = isLaunched as Bool] in
      let app = Application()
      if isLaunched { app.launch(restoring: MemoryTests.restoration(), from: nil) }
      let parent = Controller()
      parent.restorationIdentifier = "parent"
      try app.append(parent)
      // For what is made once.
      let other = ViewResponder()
      try parent.append(other)
      other.restorationIdentifier = "other"
      let leaves = (0..<1_000).map { _ in ViewResponder() }
      for leaf in leaves { try parent.append(leaf) }
      let before = allocation_bytes()
      for leaf in leaves { leaf.restorationIdentifier = "leaf" }
      let bytes = allocation_bytes() - before
      exit(bytes <= 224_000 ? 0 : 1)
    }
  }

  @Test("A record whose values nobody reads takes few allocations to restore and to save")
  func unread() async {
    await #expect(processExitsWith: .success) {
      func allocations(_ count: Int) throws -> (launch: Int, changes: Int, full: Int) {
        let archive = try MemoryTests.archive(count)
        let app = Application()
        let restoration = MemoryTests.restoration()
        let start = allocation_count()
        app.launch(restoring: restoration, from: archive)
        let launched = allocation_count()
        _ = restoration.archive(of: app, asksAll: false)
        let changed = allocation_count()
        _ = restoration.archive(of: app)
        let saved = allocation_count()
        return (Int(launched - start), Int(changed - launched), Int(saved - changed))
      }
      // For what is made once.
      _ = try allocations(100)
      let (one, two) = (try allocations(1_000), try allocations(2_000))
      let launch = two.launch - one.launch
      let changes = two.changes - one.changes
      let full = two.full - one.full
      exit(launch <= 18_100 && changes <= 8_100 && full <= 8_100 ? 0 : 1)
    }
  }
}
#endif
