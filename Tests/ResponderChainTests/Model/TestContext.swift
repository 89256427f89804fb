import ResponderChain

/// Counts what one run of a program makes, so that nothing is left when it ends.
final class Ledger {
  var liveObjects = 0
  var childrenMade = 0
  /// The program's own contexts, `c0` and so on.
  private(set) var pool: [TestContext] = []

  init() {
    pool = (0..<Oracle.contextCount).map { TestContext(number: $0, ledger: self) }
  }

  /// Lets go of the pool, which ends the cycle between it and the ledger.
  func close() { pool = [] }
}

/// A context that can branch, is named by the log, and is counted while it lives.
final class TestContext: BranchingContext {
  let number: Int
  let parent: TestContext?
  var hasUnsavedChanges = false
  private let ledger: Ledger
  private var knownName: String?
  private var namedChildren = 0

  init(number: Int, parent: TestContext? = nil, ledger: Ledger) {
    self.number = number
    self.parent = parent
    self.ledger = ledger
    ledger.liveObjects += 1
    if parent == nil { knownName = "c\(number)" }
  }

  deinit { ledger.liveObjects -= 1 }

  func makeChild() -> TestContext {
    ledger.childrenMade += 1
    return TestContext(number: number, parent: self, ledger: ledger)
  }

  func save() { hasUnsavedChanges = false }

  func discard() { hasUnsavedChanges = false }

  /// The name by which logs know the context: a child gets its number when it is first shown.
  var name: String {
    if let knownName { return knownName }
    guard let parent else { return "?" }
    let prefix = parent.name
    parent.namedChildren += 1
    let name = "\(prefix).\(parent.namedChildren)"
    knownName = name
    return name
  }
}

/// An error with a number, to be told from others.
struct TestError: Error { let number: Int }
