import Foundation
import ObjectGraph

/// A random test of lists that load elsewhere, in three contexts of one root and in another root.
///
/// The steps are edits, saves, discards, merges, new requests, refreshes, the reading of ids, and
/// slices. After each step, a complete list must equal a fresh fetch. An incomplete list must have a
/// part of the objects of a fresh fetch, in their order. Every ``ListMirror`` must equal its list.
package struct LoadingProgram {
  private var random = SplitMix64(seed: 0)
  private let store: PausedStore
  private let root: ObjectContext
  private let child: ObjectContext
  private let grandchild: ObjectContext
  private let other: ObjectContext
  private var mirrors: [ListMirror<Note>] = []
  private var steps: [String] = []
  /// Whether a merge in slices is under way. Its lists lack rows that a fetch returns.
  private var isSliced = false

  /// The number of complete and of incomplete lists that were compared with a fetch.
  package private(set) var compared = (complete: 0, incomplete: 0)

  /// Creates the lists on an empty store.
  package init(on store: PausedStore) throws {
    self.store = store
    (root, other) = (store.makeContext(), store.makeContext())
    child = root.makeChild()
    grandchild = child.makeChild()
    for context in contexts {
      context.conflictPolicy = .mine
      // A change of an object that was deleted elsewhere is refused and reported. The test ignores it.
      context.onError = { _ in }
    }
    for index in 0..<20 { try other.insert(Note("a\(index)", weight: index % 10)) }
    try other.save()
    for context in contexts {
      mirrors.append(
        ListMirror(try LiveList(Self.requests[0], in: context, loading: .elsewhere)))
      mirrors.append(
        ListMirror(
          try LiveList(
            Self.requests[1], in: context, loading: .elsewhere, sections: { $0.mood.descending })))
    }
  }

  private var contexts: [ObjectContext] { [root, child, grandchild, other] }
  private var lists: [LiveList<Note>] { mirrors.map(\.list) }

  /// The requests of the lists. The last two are fetched at once.
  private static let requests: [FetchRequest<Note>] = [
    FetchRequest(
      where: { $0.weight > 3 },
      sort: {
        $0.weight.descending
        $0.text
      }),
    FetchRequest(sort: { $0.text.natural }),
    FetchRequest(where: { $0.mood == nil || $0.weight < 5 }, sort: { $0.mood }),
    FetchRequest(where: { $0.text.hasPrefix("a") }, sort: { $0.weight }),
    FetchRequest(where: { $0.weight < 8 }, sort: { $0.weight }, limit: 7, offset: 2),
    FetchRequest(where: { $0.next.weight < $0.weight }),
  ]

  /// Runs a program, and then loads all lists. Returns the program up to the step after which a list
  /// or its mirror is wrong; nil if all are right.
  package mutating func run(_ program: SeededProgram) throws -> Counterexample<SeededProgram>? {
    defer { store.resume() }
    for (step, seed) in program.steps.enumerated() {
      random = SplitMix64(seed: seed)
      try self.step()
      if let complaint = try complaint() {
        return Counterexample(program, failingAt: step, complaint: "step \(step): \(complaint)")
      }
    }
    // What a failed save has left must not keep the lists from their end.
    try root.merge(upTo: .max)
    try other.merge(upTo: .max)
    isSliced = false
    store.letRead(for: lists)
    for context in [root, other] { while context.takeLoadedRows(upTo: 3) {} }
    if let list = lists.first(where: { !$0.isComplete }) {
      return Counterexample(program, complaint: "\(list.request) is not complete")
    }
    return try complaint().map { Counterexample(program, complaint: "at the end: \($0)") }
  }

  private mutating func complaint() throws -> String? {
    // A read may bring news of others' commits to all lists. Observers are told of it when an operation
    // ends.
    let fresh = try lists.map { try $0.context.fetch($0.shownRequest) }
    for list in lists { _ = list.count }
    for context in [root, other] { context.group {} }
    for ((index, mirror), fresh) in zip(mirrors.enumerated(), fresh) {
      let list = mirror.list
      let known = Array(list)
      var expected = fresh
      if list.isComplete, !isSliced {
        compared.complete += 1
      } else {
        let keys = Set(known.map(\.id))
        expected = fresh.filter { keys.contains($0.id) }
        compared.incomplete += 1
      }
      if let complaint = mirror.complaint(fresh: expected) {
        return "\(steps.suffix(30).joined(separator: "\n"))\nlist \(index): \(complaint)"
      }
    }
    return nil
  }

  private mutating func log(_ step: String) { steps.append(step) }

  private mutating func step() throws {
    let context = random.pick(contexts)
    let name = contexts.firstIndex { $0 === context } ?? 0
    switch random.below(22) {
    case 0..<6: try edit(context, name)
    case 6:
      log("group in \(name)")
      try context.group { for _ in 0..<4 { try edit(context, name) } }
    case 7..<10:
      log("save \(name)")
      do { try context.save() } catch {
        log("failed: \(error)")
        context.discard()
      }
    case 10:
      log("discard \(name)")
      context.discard()
    case 11:
      log("refresh \(name)")
      try context.refresh()
      if context.root === root { isSliced = false }
    case 12:
      log("refresh a list")
      try random.pick(lists).refresh()
    case 13...14:
      let (list, request) = (random.pick(lists), random.below(Self.requests.count))
      log("request \(request) of list \(lists.firstIndex { $0 === list } ?? 0)")
      list.request = Self.requests[request]
    case 15...16:
      log("read")
      store.letRead(for: lists)
    case 17...19:
      let limit = 1 + random.below(8)
      log("slice of \(limit) in \(name)")
      context.takeLoadedRows(upTo: limit)
    case 20:
      log("merge a slice")
      isSliced = try root.merge(upTo: 1 + random.below(3))
    default:
      log("merge")
      try root.merge(upTo: .max)
      try root.merge(upTo: .max)
      try other.merge(upTo: .max)
      isSliced = false
    }
  }

  private mutating func edit(_ context: ObjectContext, _ name: Int) throws {
    let notes = try context.fetch(Note.self)
    let kind = random.below(notes.count > 40 ? 7 : 9)
    guard kind < 7, !notes.isEmpty else {
      let note = Note(letter(), weight: random.below(10), mood: mood())
      return log("insert in \(name): \(try context.insert(note))")
    }
    let note = random.pick(notes)
    log("change \(kind) in \(name): \(note)")
    switch kind {
    case 0...2: note.weight = random.below(10)
    case 3: note.text = letter()
    case 4: note.mood = mood()
    case 5: note.next = random.chance(30) ? nil : random.pick(notes)
    default: try context.delete(note)
    }
  }

  private mutating func letter() -> String { random.pick(["a", "A", "a2", "a10", "é", "f", "g"]) }

  private mutating func mood() -> String? { random.pick([nil, "calm", "Calm", "merry", "é"]) }
}
