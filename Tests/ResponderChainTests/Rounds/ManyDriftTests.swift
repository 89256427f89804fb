import LineageTestSupport
import ResponderChain
import Testing

/// Tests that letters cost no more when many branches drift. The cost is the number of times that
/// contexts are asked for unsaved changes.
@Suite("Many branches that drift")
struct ManyDriftTests {
  /// The number of times that contexts were asked for unsaved changes.
  private final class Count {
    var asked = 0
  }

  private final class Sheet: BranchingContext {
    let parent: Sheet?
    private let count: Count
    var isDirty = false

    init(_ count: Count, parent: Sheet? = nil) {
      self.count = count
      self.parent = parent
    }

    func makeChild() -> Sheet { Sheet(count, parent: self) }

    var hasUnsavedChanges: Bool {
      count.asked += 1
      return isDirty
    }
  }

  private func drifting(
    _ number: Int, _ policy: BranchPolicy, _ strategy: Strategy, _ count: Count
  ) throws -> (Application, [Sheet]) {
    let application = Application(strategy: strategy)
    application.onDrift = { _ in }
    application.provide(Sheet(count))
    let screens = (0..<number).map { Screen("\($0)") }
    let sheets = try screens.map { screen in
      try application.append(screen)
      screen.branch(Sheet.self, policy)
      let sheet = try screen.require(Sheet.self)
      sheet.isDirty = true
      return sheet
    }
    application.provide(Sheet(count))
    return (application, sheets)
  }

  @Test("A drain looks at as many of a thousand as of ten thousand", arguments: Strategy.allCases)
  func bounded(_ strategy: Strategy) throws {
    let asked = try [1_000, 10_000].map { number in
      let count = Count()
      let (application, sheets) = try drifting(number, .follow, strategy, count)
      count.asked = 0
      application.drain()
      withExtendedLifetime(sheets) {}
      return count.asked
    }
    #expect(asked[0] == asked[1] && asked[0] <= 1_000)
  }

  @Test("Each of them follows within a few drains after it was saved", arguments: Strategy.allCases)
  func all(_ strategy: Strategy) throws {
    let count = Count()
    let (application, sheets) = try drifting(1_000, .follow, strategy, count)
    var followed = 0
    let screens = application.children
    for screen in screens { screen.onChange(of: Sheet.self) { _, _ in followed += 1 } }
    #expect(followed == 1_000, "the first calls are the registrations' own")
    followed = 0
    for index in sheets.indices where index % 3 == 0 { sheets[index].isDirty = false }
    for _ in 0..<6 { application.drain() }
    #expect(followed == 334)
    for sheet in sheets { sheet.isDirty = false }
    for _ in 0..<6 { application.drain() }
    #expect(followed == 1_000)
    let root = application.context(Sheet.self)
    #expect(screens.allSatisfy { $0.context(Sheet.self)?.parent === root })
    count.asked = 0
    application.drain()
    #expect(count.asked == 0)
  }

  @Test("Branches that keep their child are not looked at", arguments: Strategy.allCases)
  func keeping(_ strategy: Strategy) throws {
    let count = Count()
    let (application, sheets) = try drifting(100, .keep, strategy, count)
    count.asked = 0
    application.drain()
    #expect(count.asked == 0)
    // With the policy `follow`, the branches follow as soon as they are clean.
    for screen in application.children { screen.branch(Sheet.self, .follow) }
    for sheet in sheets { sheet.isDirty = false }
    application.drain()
    let root = application.context(Sheet.self)
    #expect(application.children.allSatisfy { $0.context(Sheet.self)?.parent === root })
  }
}
