/// An oracle of contexts and a store, as slow and plain code with one dictionary for each context.
final class Oracle {
  /// The unsaved changes of one object in a context.
  struct Local: Equatable {
    enum Phase { case inserted, updated, deleted }
    var phase: Phase
    /// The row that the context last received from its parent or the store. A new object has its
    /// first row here.
    var base: Row
    var value: Row
    /// For each contested field, the value with which both sides began.
    var contested: [Int: Int] = [:]
    /// Whether the object is deleted in the parent or the store.
    var isGone = false
    /// Whether the object counts as new because a policy kept it although it was deleted above.
    var isKept = false
    /// Whether a policy has replaced the whole value after a deletion above.
    var isReplaced = false
    /// The fields of references that a delete rule has set to nil.
    var emptied: Set<Int> = []

    /// The fields that a save would write or ask about.
    var unsaved: [Int] {
      value.indices.filter { value[$0] != base[$0] || contested[$0] != nil }
    }

    /// Whether a save has nothing to write for the object.
    var isUntouched: Bool {
      phase == .updated && unsaved.isEmpty && !isGone || phase == .deleted && isGone
    }
  }

  /// The state of one context.
  final class Level {
    let parent: Int?
    var local: [Int: Local] = [:]
    var policy: Step.Policy
    var log: Log?
    var ledger = Ledger()
    /// The last row of each object that the context has shown or deleted.
    var last: [Int: LastRow] = [:]

    init(parent: Int?, policy: Step.Policy) {
      self.parent = parent
      self.policy = policy
    }
  }

  var kinds: [Int: Kind] = [:]
  var store: [Int: Row] = [:]
  var levels: [Int: Level] = [0: Level(parent: nil, policy: .error)]
  /// The counts of saves that the store has, by the ids of ledgers.
  var receipts: [Int: Int] = [:]
  /// The deletions so far. Those of contexts that have ended are nil.
  var deletions: [Deleted?] = []
  /// The number of ids of ledgers.
  var ids = 0
  private var archive = [0: Level(parent: nil, policy: .error)]

  /// Returns the row that a context shows; the store's row if the context is nil.
  func view(_ number: Int, _ context: Int?) -> Row? {
    guard let context, let level = levels[context] else { return store[number] }
    guard let local = level.local[number] else { return view(number, level.parent) }
    return local.phase == .deleted ? nil : local.value
  }

  /// Returns the numbers of all objects of a kind that a context shows.
  func all(_ kind: Kind, _ context: Int?) -> [Int] {
    kinds.keys.filter { kinds[$0] == kind && view($0, context) != nil }.sorted()
  }

  func hasUnsavedChanges(_ context: Int) -> Bool {
    levels[context]?.local.values.contains { !$0.isUntouched } ?? false
  }

  /// Performs a step and returns a text with its visible result.
  func perform(_ step: Step) -> String {
    defer { noteLastRows() }
    switch step {
    case .insert(let new, let context): return insert([new], context)
    case .draft(let news, _, let context): return insert(news, context)
    case .edit(let number, let field, let value, let context):
      return edit(number, field, value, context)
    case .link(let number, let field, let target, let context):
      guard let target else { return edit(number, field, 0, context) }
      guard levels[context] != nil, view(target, context) != nil, fits(number, field, target) else {
        return ""
      }
      return edit(number, field, target + 1, context)
    case .linkNew(let number, let field, let new, let context):
      guard levels[context] != nil, view(number, context) != nil else { return "" }
      levels[context]?.log?.begin()
      _ = insert([new], context)
      _ = edit(number, field, new.number + 1, context)
      levels[context]?.log?.end()
    case .delete(let number, let context): return delete(number, context)
    case .deleteAll(let numbers, let context):
      guard levels[context] != nil else { return "" }
      return delete(numbers.filter { view($0, context) != nil }, context, isNoted: true)
    case .upsert(let news, let context): return upsert(news, context)
    case .putBack(let number): return putBack(number)
    case .save(let context): return save(context)
    case .saveAll(let context): return saveAll(context)
    case .discard(let context):
      levels[context].map(noteDiscard)
      levels[context]?.local = [:]
      levels[context]?.log?.forget()
      levels[context]?.ledger.handed = [:]
      propagate()
    case .refresh: break
    case .child(let child, let context):
      guard let parent = levels[context], levels[child] == nil else { return "" }
      levels[child] = Level(parent: context, policy: parent.policy)
    case .drop(let context):
      guard canDrop(context) else { return "" }
      let faults = hasUnsavedChanges(context) ? "ended" : ""
      levels[context] = nil
      for index in deletions.indices where deletions[index]?.context == context {
        deletions[index] = nil
      }
      return faults
    case .policy(let policy, let context): levels[context]?.policy = policy
    case .recordUndo(let records, let context):
      guard let level = levels[context], records != (level.log != nil) else { return "" }
      level.log = records ? makeLog(context) : nil
    case .undo(let context):
      guard let level = levels[context] else { return "" }
      guard let log = level.log else { return "other" }
      log.undo { restore($0, context) }
    case .redo(let context): levels[context]?.log?.redo { restore($0, context) }
    case .group(let steps, let context):
      guard let level = levels[context] else { return "" }
      level.log?.begin()
      defer { level.log?.end() }
      return steps.map(perform).joined(separator: ";")
    case .foreign(let change, let savesBefore): return foreign(change, savesBefore)
    case .fetch(let question, let context):
      guard levels[context] != nil else { return "" }
      return "\(answer(question, context))"
    case .members(let number, let relation, let context):
      let relation = Relation.all[relation]
      guard levels[context] != nil, kinds[number] == relation.to, !relation.inverse.isEmpty,
        view(number, context) != nil
      else { return "" }
      return "\(members(of: number, relation, context))"
    case .enlist(let tally, let card, let index, let new, let context):
      return enlist(tally, card, at: index, new, context)
    case .moveCard(let tally, let from, let to, let context):
      return moveCard(tally, from, to, context)
    case .removeCard(let tally, let index, let context): return removeCard(tally, index, context)
    case .archive: archive = archived()
    case .restart:
      restart(archive)
      deletions = deletions.map { _ in nil }
    case .cards(let tally, let context):
      guard isTally(tally, context) else { return "" }
      return "\(cards(tally, context))"
    }
    return ""
  }

  /// Tells whether a context can be released: it exists, has no child and is not the first root.
  func canDrop(_ context: Int) -> Bool {
    context != 0 && levels[context] != nil && !levels.values.contains { $0.parent == context }
  }

  /// Tells whether a property can refer to an object.
  func fits(_ number: Int, _ field: Int, _ target: Int) -> Bool {
    kinds[number].flatMap { Relation.of($0, field) }?.to == kinds[target]
  }

  func members(of number: Int, _ relation: Relation, _ context: Int?) -> [Int] {
    all(relation.from, context).filter { view($0, context)?[relation.field] == number + 1 }
  }

  private func insert(_ news: [Step.New], _ context: Int) -> String {
    guard let level = levels[context] else { return "" }
    level.log?.begin()
    for new in news {
      kinds[new.number] = new.kind
      var row = new.kind.row(named: new.text, number: new.count)
      if let link = new.link { row[link.field] = link.target + 1 }
      level.log?.record(new.number, nil)
      level.local[new.number] = Local(phase: .inserted, base: row, value: row)
    }
    level.log?.end()
    return ""
  }

  /// Inserts decks. If there is a deck of the same name, or if the call has one already, gives that
  /// deck the shelf of the new one. Returns the numbers of the decks.
  private func upsert(_ news: [Step.New], _ context: Int) -> String {
    guard levels[context] != nil else { return "" }
    let known = all(.deck, context)
    var results: [(number: Int, row: Row)] = []
    var placeOfName: [Int: Int] = [:]
    let places = news.map { new in
      let shelf = new.link.map { kinds[$0.target] == .shelf ? $0.target + 1 : 0 } ?? 0
      if let place = placeOfName[new.text] {
        results[place].row[1] = shelf
        return place
      }
      let deck = known.first { view($0, context)?[0] == new.text }
      results.append((deck ?? new.number, [new.text, shelf]))
      placeOfName[new.text] = results.count - 1
      return results.count - 1
    }
    levels[context]?.log?.begin()
    for (number, row) in results {
      if known.contains(number) {
        if view(number, context) != row { edit(number, 1, row[1], context) }
      } else {
        kinds[number] = .deck
        levels[context]?.log?.record(number, nil)
        levels[context]?.local[number] = Local(phase: .inserted, base: row, value: row)
      }
    }
    levels[context]?.log?.end()
    return "\(places.map { results[$0].number })"
  }

  /// Sets one field of an object in a context.
  @discardableResult
  func edit(
    _ number: Int, _ field: Int, _ value: Int, _ context: Int, byRule: Bool = false
  ) -> String {
    guard let level = levels[context], let row = view(number, context) else { return "" }
    level.log?.record(number, level.local[number])
    if level.local[number] == nil {
      level.local[number] = Local(phase: .updated, base: row, value: row)
    }
    level.local[number]?.value[field] = value
    if byRule { level.local[number]?.emptied.insert(field) }
    propagate()
    return ""
  }

  private func delete(_ number: Int, _ context: Int) -> String {
    guard levels[context] != nil, view(number, context) != nil else { return "" }
    return delete([number], context, isNoted: true)
  }

  func delete(_ numbers: [Int], _ context: Int, isNoted: Bool = false) -> String {
    guard let plan = deletion(of: numbers, context) else { return "denied" }
    if isNoted, !plan.deleted.isEmpty { note(plan.deleted, plan.nullified, context) }
    levels[context]?.log?.begin()
    for doomed in plan.deleted { markDeleted(doomed, context) }
    for (member, field) in plan.nullified {
      edit(member, field, 0, context, byRule: true)
    }
    levels[context]?.log?.end()
    return ""
  }

  /// Returns the objects that are deleted together with some objects, and the references that then
  /// become nil. The result is nil if a delete rule denies the deletion.
  func deletion(
    of numbers: [Int], _ context: Int?
  ) -> (deleted: [Int], nullified: [(Int, field: Int)])? {
    var deleted: [Int] = []
    for number in numbers where !deleted.contains(number) { deleted.append(number) }
    var nullified: [(Int, field: Int)] = []
    var denied: [Int] = []
    var next = 0
    while next < deleted.count {
      for relation in Relation.all where relation.to == kinds[deleted[next]] {
        let members = members(of: deleted[next], relation, context)
        switch relation.rule {
        case .nullify: nullified += members.map { ($0, relation.field) }
        case .cascade: deleted += members.filter { !deleted.contains($0) }
        case .deny: denied += members
        }
      }
      next += 1
    }
    guard denied.allSatisfy(deleted.contains) else { return nil }
    return (deleted, nullified.filter { !deleted.contains($0.0) })
  }

  func markDeleted(_ number: Int, _ context: Int, isQuiet: Bool = false) {
    guard let level = levels[context], let row = view(number, context) else { return }
    noteLastRow(number)
    let local = level.local[number]
    level.log?.record(number, local)
    switch local?.phase {
    case .inserted: level.local[number] = nil
    case .updated:
      level.local[number]?.phase = .deleted
      level.local[number]?.contested = [:]
    case nil: level.local[number] = Local(phase: .deleted, base: row, value: row)
    case .deleted: break
    }
    if !isQuiet { propagate() }
  }
}
