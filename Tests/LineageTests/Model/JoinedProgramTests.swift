import Foundation
import Lineage
import LineageTestSupport
import Testing

private typealias LibraryCard = LineageTestSupport.Card

/// Tests of random apps that combine trees, branches, saves, lists and commits of other contexts.
@Suite("A random app", .hangGuard)
@MainActor
struct JoinedProgramTests {
  @Test(
    "shows the same under each strategy, in lists too", arguments: SplitMix64.seeds(60, from: 0))
  func same(_ seed: UInt64) throws {
    let stories = try Strategy.allCases.map { strategy in
      let stores = try (0..<2).map { _ in try MemoryStore(Library.entities) }
      return try App(strategy, seed, stores.map { $0.makeContext }).story(steps: 80)
    }
    Self.compare(stories, seed)
  }

  @Test("shows the same on files", arguments: SplitMix64.seeds(6, from: 100))
  func sameOnFiles(_ seed: UInt64) async throws {
    let folder = try Drawer()
    var stories: [[String]] = []
    for strategy in Strategy.allCases {
      var stores: [SQLiteStore] = []
      for place in 0..<2 {
        let url = folder.file("\(strategy)-\(place).sqlite")
        stores.append(try await SQLiteStore.open(at: url, Library.entities))
      }
      stories.append(try App(strategy, seed, stores.map { $0.makeContext }).story(steps: 80))
      for store in stores { store.close() }
    }
    Self.compare(stories, seed)
  }

  private static func compare(_ stories: [[String]], _ seed: UInt64) {
    for (strategy, story) in zip(Strategy.allCases, stories).dropFirst() where story != stories[0] {
      let place = zip(story, stories[0]).prefix { $0 == $1 }.count
      let before = story[..<place].suffix(12).joined(separator: "\n")
      Issue.record(
        """
        LINEAGE_SEED=\(seed): after
        \(before)
        \(Strategy.allCases[0]) says \(stories[0].dropFirst(place).first ?? "nothing"),
        \(strategy) says \(story.dropFirst(place).first ?? "nothing")
        """)
    }
  }
}

/// An app that takes random steps and records all visible results as lines.
@MainActor
private final class App {
  private let application: Application
  private let makeRoots: [() -> ObjectContext]
  private var random: SplitMix64
  private let seed: UInt64
  private var account = 0
  private var screens: [Controller] = []
  private var lists: [(list: LiveList<LibraryCard>, rows: [[String]], token: ObjectObservation?)] =
    []
  private var lines: [String] = []
  private var made = 0

  init(_ strategy: Strategy, _ seed: UInt64, _ makeRoots: [() -> ObjectContext]) {
    application = Application(strategy: strategy)
    self.makeRoots = makeRoots
    self.seed = seed
    random = SplitMix64(seed: seed)
  }

  func story(steps: Int) throws -> [String] {
    application.onDrift = { [unowned self] drift in
      lines.append("drift at \(drift.responder.debugName ?? "?"), \(drift.policy)")
    }
    logIn()
    for _ in 0..<3 { try addScreen() }
    for step in 0..<steps {
      try act()
      application.drain()
      try look(at: step % 10 == 9 ? screens : screens.filter { _ in random.chance(30) })
      try checkLists()
    }
    finish()
    return lines
  }

  // MARK: Steps

  private func act() throws {
    let screen = random.pick(screens)
    switch random.below(100) {
    case ..<8: try addScreen()
    case ..<14: move(screen)
    case ..<18: try leave(screen)
    case ..<40: try edit(screen)
    case ..<50: attempt("save", screen) { try $0.save() }
    case ..<56: attempt("save all", screen) { try $0.saveAll() }
    case ..<61: attempt("discard", screen) { $0.discard() }
    case ..<78: try commitElsewhere()
    case ..<90: try openList(screen)
    case ..<94: dropList()
    case ..<97: logIn()
    default: attempt("refresh", screen) { try $0.refresh() }
    }
  }

  private func logIn() {
    account = random.below(makeRoots.count)
    let root = makeRoots[account]()
    root.conflictPolicy = .mine
    root.onError = { _ in }
    lines.append("log in to \(account)")
    application.provide(root)
  }

  private func addScreen() throws {
    let screen = Controller()
    screen.debugName = "screen \(made)"
    made += 1
    let parent = random.pick([application] + screens)
    let kind = random.below(4)
    if kind == 1 { screen.branch(ObjectContext.self, .follow) }
    if kind == 2 { screen.branch(ObjectContext.self, .keep) }
    lines.append("add \(label(screen)) to \(label(parent)), kind \(kind)")
    try parent.append(screen)
    screens.append(screen)
  }

  private func move(_ screen: Controller) {
    let isLinked = screen.nextResponder != nil
    if isLinked, random.chance(50) {
      lines.append("detach \(label(screen))")
      screen.removeFromParent()
      return
    }
    let parent = random.pick([application] + screens)
    guard !sequence(first: parent, next: \.nextResponder).contains(where: { $0 === screen }) else {
      return
    }
    lines.append("move \(label(screen)) to \(label(parent))")
    do {
      try parent.append(screen)
    } catch {
      lines.append("refused")
    }
  }

  private func leave(_ screen: Controller) throws {
    guard screens.count > 2 else { return }
    let saves = random.chance(50)
    lines.append("\(label(screen)) leaves, \(saves ? "saving" : "discarding")")
    do {
      try screen.leave(saves ? .save : .discard)
      screens.removeAll { $0 === screen }
    } catch {
      lines.append("stays")
    }
  }

  private func edit(_ screen: Controller) throws {
    let kind = random.below(4)
    let place = random.below(50)
    let number = random.below(9)
    made += 1
    attempt("edit \(kind) \(place) \(number)", screen) { context in
      let cards = try context.fetch(LibraryCard.self, sort: { $0.question })
      guard kind > 0, !cards.isEmpty else {
        try context.insert(LibraryCard("card \(made)", rightCount: number))
        return
      }
      let card = cards[place % cards.count]
      switch kind {
      case 1: card.rightCount = number
      case 2: card.question = "card \(made)"
      default: try context.delete(card)
      }
    }
  }

  /// Saves changes in a new context, of the store of the present account or of the other account.
  private func commitElsewhere() throws {
    let context = makeRoots[random.chance(80) ? account : 1 - account]()
    context.conflictPolicy = .mine
    made += 1
    let cards = try context.fetch(LibraryCard.self, sort: { $0.question })
    lines.append("elsewhere there are \(cards.count) cards")
    for _ in 0...random.below(3) {
      made += 1
      let kind = random.below(3)
      guard kind > 0, let card = cards.isEmpty ? nil : random.pick(cards), !card.isDeleted else {
        try context.insert(LibraryCard("card \(made)"))
        continue
      }
      if kind == 1 { card.rightCount += 10 } else { try context.delete(card) }
    }
    try context.save()
  }

  private func openList(_ screen: Controller) throws {
    let least = random.below(5)
    attempt("list from \(least)", screen) { context in
      let list = try LiveList(
        FetchRequest<LibraryCard>(
          filter: Filter { $0.rightCount >= least },
          order: Ordering {
            $0.rightCount.descending
            $0.question
          }), in: context)
      let place = lists.count
      lists.append((list, [list.map(Self.row)], nil))
      lists[place].token = list.observe { [unowned self] list, changes in
        guard let place = lists.firstIndex(where: { $0.list === list }) else { return }
        changes.apply(to: &lists[place].rows) { Self.row(list[$0]) }
      }
    }
  }

  private func dropList() {
    guard !lists.isEmpty else { return }
    lists.remove(at: random.below(lists.count))
  }

  // MARK: What can be seen

  private func attempt(
    _ what: String, _ screen: Controller, _ body: (ObjectContext) throws -> Void
  ) {
    lines.append("\(what) at \(label(screen))")
    do {
      try body(screen.require(ObjectContext.self))
    } catch is ContextError {
      lines.append("no context")
    } catch {
      lines.append("refused")
    }
  }

  /// Records the contexts of the screens as lines. Contexts are numbered in the order in which they
  /// are first seen.
  private func look(at screens: [Controller]) throws {
    var met: [ObjectContext] = []
    for screen in screens {
      guard let context = screen.context(ObjectContext.self) else {
        lines.append("\(label(screen)): \(screen.resolve(ObjectContext.self))")
        continue
      }
      if !met.contains(where: { $0 === context }) { met.append(context) }
      let place = met.firstIndex { $0 === context } ?? -1
      let depth = sequence(first: context, next: \.parent).reduce(0) { count, _ in count + 1 }
      let cards = try context.fetch(LibraryCard.self).map(Self.row).sorted()
      lines.append(
        "\(label(screen)): context \(place), depth \(depth), unsaved \(context.hasUnsavedChanges), "
          + cards.joined(separator: " "))
    }
  }

  /// Checks that each list shows the rows of a fresh fetch, and that the changes that it reported
  /// lead to these rows.
  private func checkLists() throws {
    for entry in lists {
      // A context that is no longer provided receives no news of other commits.
      try entry.list.context.merge()
    }
    for entry in lists {
      let shown = entry.list.map(Self.row)
      let fresh = (try? entry.list.context.fetch(entry.list.request))?.map(Self.row)
      #expect(shown == fresh, "LINEAGE_SEED=\(seed), after \(lines.suffix(8))")
      #expect(entry.rows.flatMap(\.self) == shown, "LINEAGE_SEED=\(seed), after \(lines.suffix(8))")
      lines.append("list: \(shown.joined(separator: " "))")
    }
  }

  /// Discards all changes, so that none is reported as lost when the contexts end.
  private func finish() {
    for screen in screens { screen.context(ObjectContext.self)?.discard() }
    for entry in lists { entry.list.context.discard() }
    application.onDrift = nil
    application.context(ObjectContext.self)?.discard()
  }

  private func label(_ responder: Responder) -> String { responder.debugName ?? "application" }

  private static func row(_ card: Object<LibraryCard>) -> String {
    "\(card.question)=\(card.rightCount)"
  }
}
