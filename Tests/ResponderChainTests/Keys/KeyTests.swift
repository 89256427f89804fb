import LineageTestSupport
import ResponderChain
import Testing

/// A class that is not final. Contexts of such a class need a separate key.
private class Account {
  let owner: String
  init(_ owner: String) { self.owner = owner }
}

private final class SavingsAccount: Account {}

/// A subclass that is equatable. Its superclass is not.
private final class JointAccount: Account, Equatable {
  static func == (a: JointAccount, b: JointAccount) -> Bool { a.owner == b.owner }
}

private enum AccountKey: ContextKey { typealias Value = Account }

private protocol Clerk { var name: String { get } }
private struct Teller: Clerk { let name: String }
private enum ClerkKey: ContextKey { typealias Value = any Clerk }

private enum Zoom: ContextKey {
  typealias Value = Double
  static let fallback: Double? = 1
}

private enum MaybeNumber: ContextKey { typealias Value = Int? }

@Suite("Keys")
struct KeyTests {
  @Test("Two contexts of one type under two keys do not meet", arguments: Strategy.allCases)
  func two(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let main = Notebook("main")
    let archive = Notebook("archive")
    tree.application.provide(main)
    tree.left.provide(archive, for: Archive.self)
    #expect(tree.leaf.context(Notebook.self) === main)
    #expect(tree.leaf.context(Archive.self) === archive)
    #expect(tree.uncle.context(Archive.self) == nil)
    tree.page.branch(Archive.self)
    #expect(tree.leaf.context(Archive.self)?.parent === archive)
    #expect(tree.leaf.context(Notebook.self) === main)
    try tree.left.withdraw(Archive.self)
    #expect(tree.leaf.context(Archive.self) == nil)
  }

  @Test(
    "A subclass and an existential live under a key of their own",
    arguments: Strategy.allCases)
  func ownKeys(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let account = SavingsAccount("ann")
    tree.application.provide(account, for: AccountKey.self)
    tree.application.provide(Teller(name: "bob"), for: ClerkKey.self)
    #expect(tree.leaf.context(AccountKey.self) === account)
    #expect(tree.leaf.context(AccountKey.self)?.owner == "ann")
    #expect(tree.leaf.context(ClerkKey.self)?.name == "bob")
    var calls = 0
    let token = tree.leaf.observe(AccountKey.self) { _, _ in calls += 1 }
    tree.application.provide(account, for: AccountKey.self)
    #expect(calls == 1, "the identical reference is no change")
    withExtendedLifetime(token) {}
  }

  @Test("A key's fallback stands in for what is not there", arguments: Strategy.allCases)
  func fallback(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    #expect(tree.leaf.context(Zoom.self) == 1)
    #expect(try tree.leaf.require(Zoom.self) == 1)
    #expect(tree.leaf.resolve(Zoom.self).description == "missing")
    tree.application.provide(2, for: Zoom.self)
    #expect(tree.leaf.context(Zoom.self) == 2)
    tree.left.block(Zoom.self)
    #expect(tree.leaf.context(Zoom.self) == 1)
  }

  @Test("More keys than bits are told apart", arguments: Strategy.allCases)
  func collisions(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let keys = numberedKeys(100)
    #expect(Set(keys.map { maskIndex(of: $0) }).count < keys.count)
    for (number, key) in keys.enumerated() {
      give(number, key, tree.application)
      if number.isMultiple(of: 2) { give(-number, key, tree.left) }
    }
    for (number, key) in keys.enumerated() {
      #expect(read(key, tree.leaf) == (number.isMultiple(of: 2) ? -number : number))
      #expect(read(key, tree.uncle) == number)
    }
    for (number, key) in keys.enumerated() {
      try withdraw(key, tree.left)
      #expect(read(key, tree.leaf) == number)
    }
    #expect(tree.left.slotSummaries.isEmpty)
  }

  @Test("Whether objects are equal is decided by their own class", arguments: Strategy.allCases)
  func equalObjects(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    var heard: [String] = []
    let token = tree.leaf.observe(AccountKey.self) { _, resolution in
      heard.append(resolution.value.map { "\(type(of: $0)) \($0.owner)" } ?? "none")
    }
    defer { withExtendedLifetime(token) {} }
    for account in [
      JointAccount("Ada"), JointAccount("Ada"), SavingsAccount("Ada"), SavingsAccount("Ada"),
      JointAccount("Ada"), JointAccount("Bob"),
    ] {
      tree.application.provide(account, for: AccountKey.self)
    }
    #expect(
      heard == [
        "none", "JointAccount Ada", "SavingsAccount Ada", "SavingsAccount Ada", "JointAccount Ada",
        "JointAccount Bob",
      ])
  }

  @Test("A value that is nil is a value, and equal to itself", arguments: Strategy.allCases)
  func optionals(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    let log = Log()
    let token = log.observe(tree.leaf, MaybeNumber.self)
    for value in [nil, nil, 1, 1] { tree.application.provide(value, for: MaybeNumber.self) }
    #expect(log.take() == ["leaf missing", "leaf value nil", "leaf value Optional(1)"])
    withExtendedLifetime(token) {}
  }
}
