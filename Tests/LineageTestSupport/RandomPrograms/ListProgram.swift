import Foundation
package import ObjectGraph

/// A random test of live lists. It edits objects in five contexts of one store: a root, two
/// children of it, a grandchild, and another root.
///
/// After each step, every list must equal a fresh fetch, and every ``ListMirror`` must equal its
/// list.
package struct ListProgram {
  private var random = SplitMix64(seed: 0)
  private let other: ObjectContext
  private let root: ObjectContext
  private let child: ObjectContext
  private let grandchild: ObjectContext
  private let sibling: ObjectContext
  private var mirrors: [(String, ListMirror<Note>)] = []
  private var steps: [String] = []

  /// Creates the lists. The arguments must be two root contexts of one empty store. With
  /// `onlyInChild`, one child gets two lists, and the other contexts get none.
  package init(root: ObjectContext, other: ObjectContext, onlyInChild: Bool = false) throws {
    (self.root, self.other) = (root, other)
    child = root.makeChild()
    grandchild = child.makeChild()
    sibling = root.makeChild()
    for context in contexts {
      context.conflictPolicy = .mine
      // A change of an object that was deleted elsewhere is refused and reported as a fault. The
      // test ignores the fault.
      context.onError = { _ in }
    }
    child.recordsUndo = true
    for name in ["a", "b", "c", "d"] { try root.insert(Topic(name)) }
    try root.save()
    try other.merge()
    for (index, context) in contexts.enumerated() where !onlyInChild || context === child {
      try follow(context, "\(index)", withAll: !onlyInChild)
    }
  }

  private var contexts: [ObjectContext] { [root, child, grandchild, sibling, other] }

  private mutating func follow(
    _ context: ObjectContext, _ name: String, withAll hasAll: Bool
  ) throws {
    let heavy = FetchRequest<Note>(
      where: { $0.weight > 3 },
      sort: {
        $0.weight.descending
        $0.text
      })
    mirrors.append(("heavy \(name)", ListMirror(try LiveList(heavy, in: context))))
    let topics = try LiveList(
      FetchRequest<Note>(where: { $0.weight < 8 }, sort: { $0.weight }), in: context,
      sections: {
        $0.topic.name
        $0.mood
      })
    mirrors.append(("topics \(name)", ListMirror(topics)))
    guard hasAll else { return }
    let moods = try LiveList(
      FetchRequest<Note>(sort: { $0.text }), in: context, sections: { $0.mood.descending })
    mirrors.append(("moods \(name)", ListMirror(moods)))
    let prices = try LiveList(
      FetchRequest<Note>(where: { $0.price >= -10 || $0.price == nil }, sort: { $0.text }),
      in: context, sections: { $0.price })
    mirrors.append(("prices \(name)", ListMirror(prices)))
    let folded = try LiveList(
      FetchRequest<Note>(sort: { $0.text.natural.descending }), in: context,
      sections: {
        $0.mood.folded
        $0.topic.name.natural.descending
      })
    mirrors.append(("folded \(name)", ListMirror(folded)))
    let some = FetchRequest<Note>(sort: { $0.weight }, limit: 7, offset: 2)
    mirrors.append(("some \(name)", ListMirror(try LiveList(some, in: context))))
    let chained = FetchRequest<Note>(where: { $0.next.weight < $0.weight || !$0.previous.isEmpty })
    mirrors.append(("chained \(name)", ListMirror(try LiveList(chained, in: context))))
  }

  /// Runs a program until a list or its mirror is wrong after a step. Returns the program up to
  /// this step; nil if all steps succeed.
  package mutating func run(_ program: SeededProgram) throws -> Counterexample<SeededProgram>? {
    for (step, seed) in program.steps.enumerated() {
      random = SplitMix64(seed: seed)
      try self.step()
      for (name, mirror) in mirrors {
        guard let complaint = try mirror.complaint() else { continue }
        return Counterexample(
          program, failingAt: step,
          complaint: """
            \(steps.suffix(40).joined(separator: "\n"))
            step \(step), list \(name): \(complaint)
            """)
      }
    }
    return nil
  }

  private mutating func step() throws {
    let index = random.below(contexts.count)
    let context = contexts[index]
    switch random.below(20) {
    case 0..<11: try edit(context, "\(index)")
    case 11:
      log("group in \(index)")
      try context.group { for _ in 0..<4 { try edit(context, "\(index)") } }
    case 12..<15: try save(context, "\(index)")
    case 15:
      log("discard \(index)")
      context.discard()
    case 16:
      log("undo")
      child.undo()
    case 17:
      log("redo")
      child.redo()
    case 18:
      log("refresh \(index)")
      try context.refresh()
    default:
      log("save all \(index)")
      try saveAll(context)
    }
    try root.merge()
    try other.merge()
  }

  private mutating func log(_ step: String) { steps.append(step) }

  private mutating func edit(_ context: ObjectContext, _ name: String) throws {
    let notes = try context.fetch(Note.self)
    let topics = try context.fetch(Topic.self)
    let kind = notes.count > 30 ? 2 + random.below(10) : random.below(12)
    if kind < 4 && notes.count <= 30 {
      let topic = topics.isEmpty ? nil : random.pick(topics).id
      let note = Note(letter(), weight: random.below(10), mood: mood(), topic: topic)
      log("insert in \(name): \(try context.insert(note))")
    } else if kind == 11 {
      if topics.count < 3 { try context.insert(Topic(letter())) }
      guard !topics.isEmpty else { return }
      let topic = random.pick(topics)
      log("rename or delete in \(name): \(topic)")
      if random.chance(30) { try context.delete(topic) } else { topic.name = letter() }
    } else if !notes.isEmpty {
      let note = random.pick(notes)
      log("change \(kind) in \(name): \(note)")
      switch kind {
      case 2...4: note.weight = random.below(10)
      case 5: note.price = price()
      case 6: note.text = letter()
      case 7: note.mood = mood()
      case 8: note.topic = topics.isEmpty ? nil : random.pick(topics)
      case 9: note.next = random.chance(30) ? nil : random.pick(notes)
      default: try context.delete(note)
      }
    }
  }

  private mutating func letter() -> String {
    random.pick(["a", "A", "a2", "a10", "a02", "é", "e", "f", "g", "h"])
  }

  /// Draws a price or nil. The order of the prices as numbers differs from the order of their
  /// texts.
  private mutating func price() -> Decimal? {
    random.pick([nil, 9, 10, -9, -10, -11, 1.5, .loose(-2, 150), .loose(-2, 1000)])
  }

  private mutating func mood() -> String? {
    random.pick([nil, "calm", "Calm", "merry", "é", "e\u{301}"])
  }

  private mutating func save(_ context: ObjectContext, _ name: String) throws {
    log("save \(name)")
    do {
      try context.save()
    } catch {
      // The save can fail because it refers to an object that was deleted elsewhere. The test
      // ignores it.
      log("failed: \(error)")
      context.discard()
    }
  }

  private mutating func saveAll(_ context: ObjectContext) throws {
    var level: ObjectContext? = context
    while let next = level {
      try save(next, "it")
      level = next.parent
    }
  }
}
