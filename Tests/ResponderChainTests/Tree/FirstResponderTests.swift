import LineageTestSupport
import ResponderChain
import Testing

@Suite("The first responder")
struct FirstResponderTests {
  @Test("It is set, read and observed everywhere, and refused from another tree")
  func setting() throws {
    let (tree, other) = (try SmallTree(.skipping), try SmallTree(.skipping))
    var heard: [String] = []
    let observation = tree.uncle.observe(FirstResponder.self) { _, found in
      heard.append(found.value?.responder?.debugLabel ?? "none")
    }
    #expect(tree.application.firstResponder == nil)
    try tree.application.makeFirst(tree.leaf)
    try tree.application.makeFirst(tree.leaf)
    #expect(tree.application.firstResponder === tree.leaf)
    #expect(tree.uncle.context(FirstResponder.self)?.responder === tree.leaf)
    for stranger in [other.leaf, ViewResponder()] {
      let error = #expect(throws: TreeError.self) { try tree.application.makeFirst(stranger) }
      #expect("\(error, default: "")".contains("is not in its tree"))
    }
    #expect(tree.application.firstResponder === tree.leaf)
    try tree.application.makeFirst(nil)
    #expect(tree.application.firstResponder == nil)
    #expect(heard == ["none", tree.leaf.debugLabel, "none"])
    withExtendedLifetime(observation) {}
  }

  @Test("At a round's end, it falls back to the nearest former ancestor that is still there")
  func falling() throws {
    let tree = try SmallTree(.skipping)
    try tree.application.makeFirst(tree.leaf)
    tree.application.batch {
      tree.page.removeFromParent()
      #expect(tree.application.firstResponder === tree.leaf)
    }
    #expect(tree.application.firstResponder === tree.left)
    try tree.left.append(tree.page)
    #expect(tree.application.firstResponder === tree.left)
    try tree.application.makeFirst(tree.leaf)
    // A move within the tree changes nothing.
    try tree.page.move(to: tree.uncle)
    #expect(tree.application.firstResponder === tree.leaf)
    tree.application.batch {
      tree.page.removeFromParent()
      tree.uncle.removeFromParent()
    }
    #expect(tree.application.firstResponder === tree.right)
  }

  @Test("A program that sets none has none, also if the last one leaves in the same round")
  func noneAndRemoved() throws {
    let tree = try SmallTree(.skipping)
    try tree.application.makeFirst(tree.leaf)
    try tree.application.batch {
      tree.page.removeFromParent()
      try tree.application.makeFirst(nil)
    }
    #expect(tree.application.firstResponder == nil)
    try tree.left.append(tree.page)
    try tree.application.makeFirst(tree.leaf)
    try tree.application.batch {
      try tree.application.makeFirst(nil)
      tree.page.removeFromParent()
    }
    #expect(tree.application.firstResponder == nil)
    try tree.left.append(tree.page)
    try tree.application.makeFirst(tree.leaf)
    try tree.application.batch {
      tree.page.removeFromParent()
      try tree.application.makeFirst(tree.uncle)
    }
    #expect(tree.application.firstResponder === tree.uncle)
  }

  @Test("A presented controller falls back to its presenter, and is not retained")
  func presented() throws {
    let application = Application()
    let presenter = Controller()
    try application.append(presenter)
    weak var gone: Controller?
    do {
      let sheet = Controller()
      gone = sheet
      try presenter.present(sheet)
      try application.makeFirst(sheet)
      presenter.dismiss()
    }
    #expect(application.firstResponder === presenter && gone == nil)
  }
}
