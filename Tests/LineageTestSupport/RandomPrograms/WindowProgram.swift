package import ObjectGraph

/// A random test of windowed lists. It edits objects, saves contexts and moves windows. After each
/// step, each window must be one contiguous part of a fresh fetch.
package struct WindowProgram {
  private var random: SplitMix64
  private let root: ObjectContext
  private let child: ObjectContext
  private let other: ObjectContext
  private var windows: [(list: WindowedList<Note>, mirror: ListMirror<Note>)] = []

  /// Creates rows from the seed, a child of `root`, and windows in the three contexts. The
  /// arguments must be two root contexts of one empty store.
  package init(seed: UInt64, root: ObjectContext, other: ObjectContext) throws {
    random = SplitMix64(seed: seed)
    (self.root, self.other) = (root, other)
    child = root.makeChild()
    for context in contexts {
      context.conflictPolicy = .mine
      context.onError = { _ in }
    }
    for _ in 0..<60 { try edit(root, kind: 0) }
    try root.save()
    try other.merge()
    let requests: [FetchRequest<Note>] = [
      FetchRequest(sort: { $0.weight }), FetchRequest(sort: { $0.weight.descending }),
      FetchRequest(where: { $0.weight > 3 }, sort: { $0.mood }),
      FetchRequest(sort: { $0.mood.descending }), FetchRequest(),
      FetchRequest(where: { $0.weight < 8 }, sort: { $0.id.descending }),
    ]
    for context in contexts {
      for request in requests {
        let list = try WindowedList(request, in: context, capacity: 16)
        windows.append((list, ListMirror(list)))
      }
    }
  }

  private var contexts: [ObjectContext] { [root, child, other] }

  /// Runs a program until a window is wrong after a step. Returns the program up to this step; nil
  /// if all steps succeed.
  package mutating func run(_ program: SeededProgram) throws -> Counterexample<SeededProgram>? {
    for (step, seed) in program.steps.enumerated() {
      random = SplitMix64(seed: seed)
      try self.step()
      for (index, window) in windows.enumerated() {
        guard let complaint = try complaint(window.list, window.mirror) else { continue }
        return Counterexample(
          program, failingAt: step, complaint: "step \(step), window \(index): \(complaint)")
      }
    }
    return nil
  }

  private func complaint(
    _ list: WindowedList<Note>, _ mirror: ListMirror<Note>
  ) throws -> String? {
    let fresh = try list.context.fetch(list.request)
    let start = list.first.flatMap { fresh.firstIndex(of: $0) } ?? 0
    let piece = Array(fresh[start..<min(fresh.count, start + list.count)])
    if let complaint = mirror.complaint(fresh: piece) { return complaint }
    if !list.hasEarlier && start > 0 { return "it does not begin with the first" }
    if !list.hasLater && start + list.count < fresh.count { return "it does not end with the last" }
    if list.count > list.capacity { return "it has \(list.count) rows" }
    if list.count < min(fresh.count, 4) { return "it has only \(list.count) of \(fresh.count)" }
    return nil
  }

  private mutating func step() throws {
    let context = random.pick(contexts)
    switch random.below(10) {
    case 0..<5: try edit(context, kind: random.below(12))
    case 5:
      try context.group { for _ in 0..<random.below(20) { try edit(context, kind: 11) } }
    case 6..<8: try move(random.pick(windows).list)
    case 8:
      do { try context.save() } catch { context.discard() }
    default:
      if random.chance(20) { context.discard() }
      for _ in 0..<8 { try edit(context, kind: 0) }
    }
    try root.merge()
    try other.merge()
  }

  private mutating func move(_ list: WindowedList<Note>) throws {
    switch random.below(6) {
    case 0: try list.loadLater(random.below(10))
    case 1: try list.loadEarlier(random.below(10))
    case 2: try list.jumpToStart()
    case 3: try list.jumpToEnd()
    case 4:
      let notes = try list.context.fetch(Note.self)
      if !notes.isEmpty { try list.jump(to: random.pick(notes)) }
    default: try list.refresh()
    }
  }

  private mutating func edit(_ context: ObjectContext, kind: Int) throws {
    let notes = try context.fetch(Note.self)
    let weight = random.below(10)
    let mood = random.pick([nil, "calm", "merry", "é"])
    if kind < 3 || notes.isEmpty {
      guard notes.count < 90 else { return }
      try context.insert(Note("n\(notes.count)", weight: weight, mood: mood))
      return
    }
    let note = random.pick(notes)
    switch kind {
    case 3..<6: note.weight = weight
    case 6..<8: note.mood = mood
    case 8: note.text += "!"
    default: try context.delete(note)
    }
  }
}
