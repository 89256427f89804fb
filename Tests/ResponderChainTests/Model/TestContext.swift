import ResponderChain

/// The counts of objects that one run of a program makes. A test checks that none is left at the
/// end.
final class Ledger {
  var liveObjects = 0
  var childrenMade = 0
  /// The contexts of the program itself: `c0`, `c1` and so on.
  private(set) var pool: [TestContext] = []

  init() {
    pool = (0..<Oracle.contextCount).map { TestContext(number: $0, ledger: self) }
  }

  /// Empties the pool. This ends the reference cycle between the ledger and its contexts.
  func close() { pool = [] }
}

/// A branching context that has a name in logs. The ledger counts the living ones.
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

  /// The name of the context in logs. A child gets its number when the log first shows it.
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

/// An error whose number distinguishes it from others.
struct TestError: Error { let number: Int }
