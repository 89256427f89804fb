import CLineageAllocations
import Foundation
import LineageTestSupport
import ResponderChain
import Testing

@Suite("Attachments")
@MainActor
struct AttachmentTests {
  /// An attachment that logs each notice, with the state of the tree at that moment.
  final class Tag: ResponderChain.Attachment {
    private let log: Log
    init(_ log: Log) { self.log = log }

    func ownedDidChange(of responder: Responder) {
      let names = Array(responder.descendants.map { $0.debugName ?? "?" })
      log.lines.append("\(responder.debugName ?? "app") owns \(names.joined(separator: " "))")
    }

    func didLink(_ responder: Responder) {
      log.lines.append(
        "\(responder.debugName ?? "?") below \(responder.nextResponder?.debugName ?? "app")")
    }

    func didUnlink(_ responder: Responder) {
      log.lines.append(
        "\(responder.debugName ?? "?") is \(responder.nextResponder == nil ? "free" : "linked")")
    }
  }

  private struct Scene {
    let log = Log()
    let tree: SmallTree

    init(_ strategy: Strategy) throws {
      tree = try SmallTree(strategy)
      for responder in tree.all { responder.attachment = Tag(log) }
    }
  }

  @Test("A responder has the attachment that was set last", arguments: Strategy.allCases)
  func set(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.provide(Theme("dark"))
    let bare = ViewResponder()
    try tree.page.append(bare)
    let log = Log()
    for responder in tree.all {
      #expect(responder.attachment == nil)
      let (first, second) = (Tag(log), Tag(log))
      responder.attachment = first
      #expect(responder.attachment === first)
      responder.attachment = second
      #expect(responder.attachment === second)
      responder.provide(Session("own"))
      #expect(responder.attachment === second)
      responder.attachment = nil
      #expect(responder.attachment == nil)
      responder.attachment = first
      #expect(responder.attachment === first)
      #expect(responder.context(Theme.self) == Theme("dark"))
      #expect(responder.context(Session.self)?.user == "own")
    }
    #expect(tree.all.flatMap { $0.checkInvariants() } == [])
    #expect(log.take() == [])
  }

  @Test("Attachments end with their responder", arguments: Strategy.allCases)
  func end(_ strategy: Strategy) throws {
    weak var leaf: Tag?
    weak var parent: Tag?
    do {
      let scene = try Scene(strategy)
      leaf = scene.tree.leaf.attachment as? Tag
      parent = scene.tree.page.attachment as? Tag
      #expect(leaf != nil && parent != nil)
    }
    #expect(leaf == nil && parent == nil)
  }

  @Test("Attachments hear of each link, before didAttach", arguments: Strategy.allCases)
  func links(_ strategy: Strategy) throws {
    let scene = try Scene(strategy)
    let (tree, log) = (scene.tree, scene.log)
    let child = Page("child")
    child.attachment = Tag(log)
    child.onAttach = { _ in log.lines.append("didAttach") }
    try tree.uncle.append(child)
    #expect(log.take() == ["child below uncle", "uncle owns child", "didAttach"])
    try child.move(to: tree.leaf)
    #expect(
      log.take() == [
        "child is free", "uncle owns ", "child below leaf", "leaf owns child", "didAttach",
      ])
    child.removeFromParent()
    #expect(log.take() == ["child is free", "leaf owns "])
    tree.leaf.removeFromParent()
    #expect(log.take() == ["leaf is free", "page owns "])
    try tree.page.append(Page("plain"))
    #expect(log.take() == ["page owns plain"])
  }

  @Test("A new leaf is heard of as well", arguments: Strategy.allCases)
  func looseLeaf(_ strategy: Strategy) throws {
    let scene = try Scene(strategy)
    try scene.tree.uncle.append(ViewResponder())
    #expect(scene.log.take() == ["uncle owns ?"])
    let loose = ViewResponder()
    loose.attachment = Tag(scene.log)
    try scene.tree.leaf.append(loose)
    #expect(scene.log.take() == ["? below leaf", "leaf owns ?"])
    loose.provide(Theme("own"))
    #expect(loose.context(Theme.self) == Theme("own"))
    #expect(scene.tree.all.flatMap { $0.checkInvariants() } == [])
  }

  @Test("Root views, presented controllers and orders count too", arguments: Strategy.allCases)
  func roles(_ strategy: Strategy) throws {
    let scene = try Scene(strategy)
    let (tree, log) = (scene.tree, scene.log)
    try tree.right.append(Screen("a"))
    try tree.right.append(Screen("b"))
    _ = log.take()
    try tree.right.reorder(tree.right.children[1], to: 0)
    #expect(log.take() == ["right owns uncle b a"])
    try tree.right.setRootView(Page("new"))
    #expect(log.take() == ["uncle is free", "right owns b a", "right owns new b a"])
    let shown = Screen("shown")
    shown.attachment = Tag(log)
    try tree.right.present(shown)
    #expect(log.take() == ["shown below right", "right owns new b a shown"])
    tree.right.dismiss()
    #expect(log.take() == ["shown is free", "right owns new b a"])
  }

  @Test("A child that outlives its parent is told", arguments: Strategy.allCases)
  func orphan(_ strategy: Strategy) throws {
    let application = Application(strategy: strategy)
    let log = Log()
    let child = Page("child")
    do {
      let parent = Screen("parent")
      parent.attachment = Tag(log)
      child.attachment = Tag(log)
      try application.append(parent)
      try parent.append(child)
      _ = log.take()
      parent.removeFromParent()
      #expect(log.take() == ["parent is free"])
    }
    application.drain()
    child.provide(Theme("own"))
    #expect(log.take() == ["child is free"])
    #expect(child.checkInvariants() == [])
  }

  #if os(Linux)
  #if DEBUG
  nonisolated private static let isOptimised = false
  #else
  nonisolated private static let isOptimised = true
  #endif

  @Test(
    "An attachment takes eighty bytes at a leaf, and none of a leaf without",
    .disabled(if: isSanitized, "sanitizers allocate themselves"),
    .enabled(if: isOptimised, "each closure is an allocation without the optimiser"),
    arguments: [Strategy.chain, .skipping])
  func bytes(_ strategy: Strategy) async {
    await #expect(processExitsWith: .success) { [strategy = strategy as Strategy] in
      let tree = try SmallTree(strategy)
      tree.application.provide(Session("ann"))
      _ = tree.leaf.context(Session.self)
      let tag = Tag(Log())
      func bytes(of work: () -> Void) -> UInt64 {
        let before = allocation_bytes()
        work()
        return allocation_bytes() - before
      }
      var leaves: [ViewResponder] = []
      leaves.reserveCapacity(2_000)
      let made = bytes { for _ in 0..<1_000 { leaves.append(ViewResponder()) } }
      // Each view has its object header (two words), its place, its route and its list of owned
      // responders.
      guard made == 48_000 else { exit(2) }
      for leaf in leaves { try tree.page.append(leaf) }
      let attached = bytes { for leaf in leaves { leaf.attachment = tag } }
      guard attached <= 80_000 else { exit(3) }
      let parents = (0..<1_000).map { _ in ViewResponder() }
      for parent in parents { try parent.append(ViewResponder()) }
      // The contents of a node without a table of slots.
      let above = bytes { for parent in parents { parent.attachment = tag } }
      exit(above <= 96_000 ? 0 : 4)
    }
  }
  #endif
}
