import Foundation
import Lineage
import LineageTestSupport
import Testing

/// Random programs of an app with nested editors, whose process is killed again and again. What the
/// editors show after a launch is compared with what they showed at the last save of the state.
@Suite("A killed app comes back as at its last archive", .hangGuard)
struct KilledProgramTests {
  /// The moment at which the store is there.
  enum Moment: CaseIterable { case ready, late, otherFirst }

  @Test("Random programs", arguments: Strategy.allCases, Moment.allCases)
  func programs(strategy: Strategy, moment: Moment) throws {
    for seed in SplitMix64.seeds(12, from: 3_600) {
      var program = try Program(seed: seed, strategy, moment)
      for _ in 0..<8 { try program.runProcess() }
    }
  }

  private struct Program {
    private static let paths = [
      ["outer"], ["outer", "inner"], ["outer", "inner", "low"], ["side"],
    ]
    private var random: SplitMix64
    private let seed: UInt64
    private let strategy: Strategy
    private let moment: Moment
    private let store: MemoryStore
    private let other: MemoryStore
    private var archive: StateArchive?
    /// The lines of each editor at the time of the archive.
    private var expected: [[String: String]] = []
    /// Whether anything was committed after the archive.
    private var hasSaved = false
    private var count = 0

    init(seed: UInt64, _ strategy: Strategy, _ moment: Moment) throws {
      random = SplitMix64(seed: seed)
      (self.seed, self.strategy, self.moment) = (seed, strategy, moment)
      store = try storeWithCard()
      other = try storeWithCard("other")
      let root = store.makeContext()
      for number in 0..<5 { try root.insert(EditedCard("card \(number)", rightCount: number)) }
      try root.save()
    }

    /// Runs a process from its launch to its kill.
    mutating func runProcess() throws {
      let isReady = moment == .ready || archive == nil
      let first: MemoryStore? = isReady ? store : moment == .late ? nil : other
      var program = self
      let store = store
      program = try Desk.run(archive, on: first, strategy: strategy) { desk in
        if !isReady { desk.app.provide(store.makeContext()) }
        var program = program
        if program.archive == nil {
          for path in Self.paths {
            let parent = path.count == 1 ? nil : try program.editor(path.dropLast(), desk)
            try desk.open(path[path.count - 1], below: parent)
          }
        } else {
          try program.check(desk)
        }
        #expect(desk.restoration.brokenInvariant == nil)
        for _ in 0..<(3 + program.random.below(12)) { try program.step(desk) }
        return program
      }
      self = program
    }

    private func editor(_ path: some Collection<String>, _ desk: Desk) throws -> Editor {
      var node: Responder = desk.app
      for name in path {
        node = try #require(node.children.first { $0.restorationIdentifier == name })
      }
      return try #require(node as? Editor)
    }

    /// Returns a line for each unsaved change of an editor, by the object's id.
    private func lines(_ editor: Editor) throws -> [String: String] {
      let context = try editor.context()
      var lines: [String: String] = [:]
      for edit in context.keptEdits {
        let object = try context.find(Ref<EditedCard>(key: edit.key))
        let values = object.map { "\($0.question) \($0.answer) \($0.rightCount)" } ?? "deleted"
        let properties = object?.changes.properties.sorted() ?? []
        lines["\(edit.key)"] =
          "\(edit.change) \(properties) \(values) from \(try base(edit, context.model))"
      }
      return lines
    }

    /// Returns the values with which the edits of a card began, and which of them are contested.
    private func base(_ edit: KeptEdit, _ model: Model) throws -> [String] {
      let arena = CellArena(capacity: 1_024)
      let layout = model.layouts[edit.entity]
      return try layout.columns.indices.filter(edit.edited.contains).map { column in
        let isContested = edit.contested.contains(column)
        let cell = try edit.base.cell(of: column, in: arena)
        let value: String =
          switch cell.form {
          case .text, .blob:
            cell.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
            }
          case .integer: "\(cell.integer)"
          case .null, .real: "\(cell.form)"
          }
        return value + (isContested ? "!" : "")
      }
    }

    private func check(_ desk: Desk) throws {
      for (path, expected) in zip(Self.paths, expected) {
        let found = try lines(editor(path, desk))
        if !hasSaved {
          #expect(found == expected, "seed \(seed), \(path)")
        } else {
          // What is still unsaved was unsaved at the archive, and no change comes from nowhere.
          for key in found.keys { #expect(expected[key] != nil, "seed \(seed), \(path), \(key)") }
        }
      }
      #expect(desk.restoration.report.problems == [], "seed \(seed)")
    }

    private mutating func step(_ desk: Desk) throws {
      let editor = try editor(random.pick(Self.paths), desk)
      let context = try editor.context()
      let cards = try context.fetch(EditedCard.self, sort: { $0.question })
      switch random.below(20) {
      case 0..<7:
        count += 1
        if cards.isEmpty { return }
        let card = random.pick(cards)
        if random.chance(50) { card.rightCount = count } else { card.answer = "answer \(count)" }
      case 7..<9:
        count += 1
        try context.insert(EditedCard("new \(count)"))
      case 9:
        if !cards.isEmpty { try context.delete(random.pick(cards)) }
      case 10..<12:
        // Nothing is committed by a save into another editor, so a kill takes this back. The root is
        // not kept, so it commits at once.
        context.conflictPolicy = .mine
        try context.save()
        guard editor.nextResponder === desk.app else { break }
        hasSaved = true
        try desk.root.conflictPolicy = .mine
        try desk.root.save()
      case 12:
        hasSaved = true
        for path in Self.paths {
          try self.editor(path, desk).context().conflictPolicy = .mine
        }
        try desk.root.conflictPolicy = .mine
        try context.saveAll()
      case 13: context.discard()
      case 14:
        hasSaved = true
        try commit(store) { root, card in card.answer = "theirs \(count)" }
      default: try save(desk)
      }
      if archive == nil { try save(desk) }
    }

    /// Saves the state, after what others have committed was merged.
    private mutating func save(_ desk: Desk) throws {
      desk.app.drain()
      archive = desk.archive
      hasSaved = false
      expected = try Self.paths.map { try lines(editor($0, desk)) }
    }
  }
}
