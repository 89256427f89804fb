import LineageTestSupport
import ObjectGraph
import Synchronization

/// A store whose commits can be made to fail.
final class ChainStore: ForwardingStore {
  let base: any ObjectStore
  private let failing = Mutex(false)

  init(_ base: any ObjectStore) { self.base = base }

  func setFailing(_ fails: Bool) { failing.withLock { $0 = fails } }

  func commit(
    _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
  ) throws {
    if failing.withLock({ $0 }) { throw GraphError("save", .full) }
    try base.commit(writes, receipts, from: inbox, resolving: resolving)
  }
}

/// A family of contexts, another root, and the objects that a random program has touched.
///
/// Two worlds run each program. One calls `saveAll()` and `edit`. The other calls `save()`
/// in each context of the chain, or only merges if one of these saves had thrown.
final class ChainWorld {
  /// The way in which a world saves a chain.
  enum Mode: Sendable { case whole, series, skipped }

  /// The properties of a program that its seed decides.
  struct Setting {
    /// Whether each context has its own policy. All objects are then touched in all contexts.
    let isMixed: Bool
    let listed: [Int]
    let recording: [Int]

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed &* 7919)
      isMixed = random.chance(40)
      listed = (0..<6).filter { _ in random.chance(40) }
      recording = (0..<6).filter { _ in random.chance(60) }
    }
  }

  private struct Refused: Error {}

  /// The index of each context's parent. The last context is another root.
  private static let parents: [Int?] = [nil, 0, 1, 1, 0, 2, nil]
  private static let other = 6
  private static let names = ["a", "b", "c"]

  let store: ChainStore
  let setting: Setting
  private var contexts: [ObjectContext] = []
  private var held: [[Int64: GraphObject]] = []
  private var mirrors: [Int: (cards: ListMirror<Card>, decks: ListMirror<Deck>)] = [:]
  private var ids: [(entity: Int, key: Int64)] = []
  private var drafts: [(slot: Int, object: GraphObject)] = []
  private var faults: [Faults] = []
  private var step = 0
  private(set) var log: [String] = []
  /// The complaints about the calls of lists.
  private(set) var complaints: [String] = []

  init(_ setting: Setting, on store: any ObjectStore) throws {
    self.setting = setting
    self.store = ChainStore(store)
    for slot in Self.parents.indices {
      contexts.append(make(slot))
      held.append([:])
      faults.append(Faults())
    }
    for slot in Self.parents.indices { equip(slot) }
    let root = contexts[0]
    for number in 0..<6 {
      let key = Int64(100 + number)
      ids.append((number < 3 ? 0 : number < 5 ? 1 : 2, key))
      switch number {
      case 0..<3: try root.insert(Object(Card("q\(number)"), id: Ref(key: key)))
      case 3..<5: try root.insert(Object(Deck("d\(number)"), id: Ref(key: key)))
      default: try root.insert(Object(Shelf("s"), id: Ref(key: key)))
      }
    }
    try root.save()
  }

  private func make(_ slot: Int) -> ObjectContext {
    guard let parent = Self.parents[slot] else { return ObjectContext(store: store) }
    return contexts[parent].makeChild()
  }

  private func equip(_ slot: Int) {
    let context = contexts[slot]
    context.name = "context \(slot)"
    context.onError = faults[slot].hear
    if setting.recording.contains(slot) { context.recordsUndo = true }
    if setting.listed.contains(slot),
      let cards = try? LiveList(
        FetchRequest<Card>(sort: { $0.question }), in: context),
      let decks = try? LiveList(FetchRequest<Deck>(sort: { $0.name }), in: context)
    {
      mirrors[slot] = (ListMirror(cards), ListMirror(decks))
    }
  }

  private var calls: [Int: Int] { mirrors.mapValues { $0.cards.batches + $0.decks.batches } }

  // MARK: - Objects

  private func find(_ id: (entity: Int, key: Int64), in slot: Int) -> GraphObject? {
    if let object = held[slot][id.key], object.context != nil { return object }
    let found = Self.find(id, in: contexts[slot])
    if let found { held[slot][id.key] = found }
    return found
  }

  private static func find(_ id: (entity: Int, key: Int64), in context: ObjectContext)
    -> GraphObject?
  {
    switch id.entity {
    case 0: return try? context.find(Ref<Card>(key: id.key))
    case 1: return try? context.find(Ref<Deck>(key: id.key))
    case 2: return try? context.find(Ref<Shelf>(key: id.key))
    default: return try? context.find(Ref<Learner>(key: id.key))
    }
  }

  private func touchAll() {
    for slot in contexts.indices { for id in ids { _ = find(id, in: slot) } }
  }

  private func pick<Value: Entity>(
    _ entity: Int, _ random: inout SplitMix64, in context: ObjectContext
  ) -> Object<Value>? {
    let all = ids.filter { $0.entity == entity }
    guard !all.isEmpty else { return nil }
    return try? context.find(Ref<Value>(key: random.pick(all).key))
  }

  /// Makes one random edit in a context. Keeps touched objects in `held` if `slot` is not nil.
  private func edit(_ random: inout SplitMix64, in context: ObjectContext, slot: Int?) {
    let kind = random.below(100)
    if kind < 18 {
      insert(&random, in: context, slot: slot)
      return
    }
    guard let id = ids.isEmpty ? nil : random.pick(ids),
      let object = slot.map({ find(id, in: $0) }) ?? Self.find(id, in: context)
    else { return }
    if kind < 28 {
      do { try context.delete(object) } catch { log.append("  not deleted") }
      log.append("  delete \(id.key) in \(context.name ?? "edit")")
      return
    }
    switch object {
    case let card as Object<Card>:
      switch random.below(6) {
      case 0, 1: card.rightCount = random.below(4)
      case 2: card.question = random.chance(10) ? "forbidden" : random.pick(Self.names)
      case 3: card.answer = random.pick(Self.names)
      case 4: card.deck = random.chance(20) ? nil : pick(1, &random, in: context)
      default: card.next = random.chance(20) ? nil : pick(0, &random, in: context)
      }
    case let deck as Object<Deck>:
      if random.chance(60) {
        deck.name = "d\(random.below(7))"
      } else {
        deck.shelf = random.chance(20) ? nil : pick(2, &random, in: context)
      }
    case let shelf as Object<Shelf>: shelf.name = random.pick(Self.names)
    case let learner as Object<Learner>:
      learner.favourite = random.chance(20) ? nil : pick(0, &random, in: context)
    default: break
    }
    log.append("  edit \(id.key) in \(context.name ?? "edit"): \(object)")
  }

  private func insert(_ random: inout SplitMix64, in context: ObjectContext, slot: Int?) {
    let id = (entity: random.pick([0, 0, 0, 1, 1, 2, 3]), key: Int64(1000 + step * 20 + ids.count))
    ids.append(id)
    let object: GraphObject
    switch id.entity {
    case 0:
      let card = Object(
        Card(random.chance(10) ? "forbidden" : random.pick(Self.names)), id: Ref(key: id.key))
      if random.chance(40), let deck: Object<Deck> = pick(1, &random, in: context) {
        card.deck = deck
      }
      object = card
    case 1: object = Object(Deck("d\(random.below(7))"), id: Ref(key: id.key))
    case 2: object = Object(Shelf("s"), id: Ref(key: id.key))
    default: object = Object(Learner("l"), id: Ref(key: id.key))
    }
    do { try context.insert(object) } catch { log.append("  not inserted") }
    if let slot {
      held[slot][id.key] = object
      drafts.append((slot, object))
    }
    log.append("  insert \(id.key) in \(context.name ?? "edit"): \(object)")
  }

  // MARK: - Steps

  /// Does a step. Returns nil if the step saves no chain, and otherwise the error that it throws;
  /// an empty text if it throws none.
  func run(_ seed: UInt64, _ mode: Mode) -> String? {
    var random = SplitMix64(seed: seed)
    step += 1
    defer { if setting.isMixed { touchAll() } }
    let slot = random.below(6)
    let context = contexts[slot]
    switch random.below(100) {
    case 0..<40: edit(&random, in: context, slot: slot)
    case 40..<44:
      log.append("group in \(slot)")
      context.group { for _ in 0..<3 { edit(&random, in: context, slot: slot) } }
    case 44..<50:
      log.append("undo in \(slot)")
      if context.recordsUndo { context.undo() }
    case 50..<54:
      log.append("redo in \(slot)")
      context.redo()
    case 54..<58:
      let error = describe { try context.save() }
      log.append("save in \(slot): \(error)")
    case 58..<60:
      log.append("discard in \(slot)")
      context.discard()
    case 60..<62:
      log.append("merge in \(slot)")
      try? context.merge()
    case 62..<71:
      log.append("others")
      let other = contexts[Self.other]
      other.conflictPolicy = .mine
      for _ in 0...random.below(2) { edit(&random, in: other, slot: Self.other) }
      let error = describe { try other.save() }
      if !error.isEmpty { other.discard() }
      if random.chance(50) { try? contexts[0].merge() }
    case 71..<75: setPolicy(&random, slot)
    case 75..<77: release(slot)
    case 77..<79:
      if let draft = drafts.isEmpty ? nil : random.pick(drafts), draft.object.context == nil {
        let error = describe { try contexts[draft.slot].insert(draft.object) }
        log.append("insert again \(draft.object) in \(draft.slot): \(error)")
      }
    case 79..<93: return saveAll(&random, slot, mode)
    default: return edit(&random, slot, mode)
    }
    return nil
  }

  private func setPolicy(_ random: inout SplitMix64, _ slot: Int) {
    let kind = random.below(setting.isMixed ? 3 : 5)
    log.append("policy \(kind) in \(setting.isMixed ? "\(slot)" : "all")")
    for index in setting.isMixed ? [slot] : Array(0..<6) {
      contexts[index].conflictPolicy = Self.policy(kind)
    }
  }

  private static func policy(_ kind: Int) -> ConflictPolicy {
    switch kind {
    case 0: return .error
    case 1: return .mine
    case 2: return .theirs
    case 3: return .resolve { $0.properties.contains("rightCount") ? .mine : .theirs }
    default:
      return .resolve { conflict in
        guard let base = conflict.base as? Card, let mine = conflict.mine as? Card,
          var theirs = conflict.theirs as? Card, !conflict.properties.isEmpty
        else { return .mine }
        theirs.rightCount += mine.rightCount - base.rightCount
        return .value(theirs)
      }
    }
  }

  private func release(_ slot: Int) {
    guard slot > 0 else { return }
    log.append("release \(slot)")
    var gone = [slot]
    for index in Self.parents.indices where Self.parents[index].map({ gone.contains($0) }) == true {
      gone.append(index)
    }
    drafts.removeAll { gone.contains($0.slot) }
    for index in gone.reversed() {
      mirrors[index] = nil
      held[index] = [:]
      contexts[index].discard()
    }
    let policy = contexts[slot].conflictPolicy
    for index in gone {
      contexts[index] = make(index)
      contexts[index].conflictPolicy = policy
      equip(index)
    }
  }

  private func describe(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch let error as GraphError {
      let name = refusal { throw error } ?? ""
      return name == "conflict" ? name : "\(name) in \(error.context ?? "-")"
    } catch {
      return "\(error)"
    }
  }

  private func saveAll(_ random: inout SplitMix64, _ slot: Int, _ mode: Mode) -> String {
    let merges = random.chance(60)
    let fails = random.chance(15)
    let grouped = random.chance(10) ? [0, 1, slot].randomElement(using: &random) : nil
    log.append(
      "saveAll in \(slot)\(merges ? " merged" : "")\(fails ? " failing" : "")"
        + (grouped.map { " in a group of \($0)" } ?? ""))
    if merges { try? contexts[0].merge() }
    var error = ""
    let save = { [self] in
      let before = calls
      store.setFailing(fails)
      defer { store.setFailing(false) }
      switch mode {
      case .whole: error = describe { try contexts[slot].saveAll() }
      case .series: error = describe { try series(contexts[slot]) }
      case .skipped: break
      }
      if mode == .whole, merges, grouped == nil {
        check(since: before, most: error.isEmpty ? 1 : 0)
      }
      if mode == .skipped || !error.isEmpty { try? contexts[0].merge() }
    }
    if let grouped {
      contexts[grouped].group {
        edit(&random, in: contexts[grouped], slot: grouped)
        save()
        edit(&random, in: contexts[grouped], slot: grouped)
      }
    } else {
      save()
    }
    log.append("  -> \(mode) \(error)")
    return error
  }

  private func check(since before: [Int: Int], most: Int) {
    for (slot, count) in calls where count - before[slot, default: 0] > 2 * most {
      complaints.append(
        "step \(step): the lists of \(slot) had \(count - before[slot, default: 0])")
    }
  }

  private func edit(_ random: inout SplitMix64, _ slot: Int, _ mode: Mode) -> String? {
    let fails = random.chance(10)
    let refuses = random.chance(20)
    let inner = random.chance(30) ? random.below(6) : nil
    let policy = contexts[slot].conflictPolicy
    log.append("edit in \(slot)\(fails ? " failing" : "")\(refuses ? " refusing" : "")")
    try? contexts[0].merge()
    let before = calls
    func body(_ child: ObjectContext) throws {
      child.conflictPolicy = policy
      for _ in 0...random.below(3) { edit(&random, in: child, slot: nil) }
      if let inner {
        log.append("  inner edit in \(inner)")
        func change(_ grandchild: ObjectContext) {
          grandchild.conflictPolicy = policy
          for _ in 0...random.below(3) { edit(&random, in: grandchild, slot: nil) }
        }
        let error = describe {
          if mode == .whole {
            try contexts[inner].edit { change($0) }
          } else {
            let grandchild = child.makeChild()
            change(grandchild)
            do { try grandchild.save() } catch {
              grandchild.discard()
              throw error
            }
          }
        }
        log.append("  inner -> \(error)")
      }
      if refuses { throw Refused() }
    }
    var error = ""
    if mode == .whole {
      store.setFailing(fails)
      error = describe { try contexts[slot].edit(body) }
      store.setFailing(false)
    } else {
      let child = contexts[slot].makeChild()
      error = describe {
        do {
          try body(child)
          if mode == .series {
            store.setFailing(fails)
            defer { store.setFailing(false) }
            try series(child)
          }
        } catch {
          child.discard()
          throw error
        }
      }
      if mode == .skipped { child.discard() }
    }
    if mode == .whole { check(since: before, most: error.isEmpty ? 1 : 0) }
    log.append("  -> \(mode) \(error)")
    if mode == .skipped || !error.isEmpty { try? contexts[0].merge() }
    return error
  }

  // MARK: - The oracle

  /// Saves each context from this one up to the root.
  private func series(_ context: ObjectContext) throws {
    var chain: [ObjectContext] = [context]
    while let parent = chain.last?.parent { chain.append(parent) }
    guard setting.isMixed, let root = chain.last else {
      for context in chain { try context.save() }
      return
    }
    var deciders: [(policy: ConflictPolicy, changes: [Int64: Changes])] = []
    for context in chain.reversed() {
      let slot = contexts.firstIndex { $0 === context }
      var changes: [Int64: Changes] = [:]
      for id in ids {
        let object = slot.flatMap { held[$0][id.key] } ?? Self.find(id, in: context)
        if let object { changes[id.key] = object.changes }
      }
      deciders.append((context.conflictPolicy, changes))
    }
    let policy = root.conflictPolicy
    defer { root.conflictPolicy = policy }
    var refused = false
    for context in chain.dropLast() { try context.save() }
    root.conflictPolicy = .resolve { conflict in
      let decision = Self.decide(conflict, deciders, &refused)
      if refused { throw Refused() }
      return decision
    }
    do { try root.save() } catch is Refused { throw GraphError("save", .conflict([])) }
  }

  private static func decide(
    _ conflict: Conflict,
    _ deciders: [(policy: ConflictPolicy, changes: [Int64: Changes])], _ refused: inout Bool
  ) -> ConflictPolicy.Decision {
    func decision(_ edits: (Changes) -> Bool) -> ConflictPolicy? {
      deciders.first { $0.changes[conflict.object.key].map(edits) == true }?.policy
    }
    func isMine(_ policy: ConflictPolicy?) -> Bool {
      switch policy {
      case .mine?: return true
      case .theirs?: return false
      default:
        refused = true
        return true
      }
    }
    guard let theirs = conflict.theirs else {
      return isMine(decision { $0.kind == .updated }) ? .mine : .theirs
    }
    if conflict.properties.isEmpty {
      return isMine(decision { $0.kind == .deleted }) ? .mine : .theirs
    }
    func resolve<Value: Entity>(_ mine: Value) -> ConflictPolicy.Decision {
      guard var value = theirs as? Value else { return .mine }
      for property in conflict.properties
      where isMine(decision { $0.properties.contains(property) }) {
        copy(property, mine, &value)
      }
      return .value(value)
    }
    return resolve(conflict.mine)
  }

  private static func copy<Value: Entity>(_ property: String, _ mine: Value, _ to: inout Value) {
    func set<Other: Entity, Member>(_ path: WritableKeyPath<Other, Member>) {
      guard let source = mine as? Other, var target = to as? Other else { return }
      target[keyPath: path] = source[keyPath: path]
      if let value = target as? Value { to = value }
    }
    switch (property, Value.self) {
    case ("question", _): set(\Card.question)
    case ("answer", _): set(\Card.answer)
    case ("rightCount", _): set(\Card.rightCount)
    case ("deck", _): set(\Card.deck)
    case ("next", _): set(\Card.next)
    case ("shelf", _): set(\Deck.shelf)
    case ("favourite", _): set(\Learner.favourite)
    default:
      set(\Deck.name)
      set(\Shelf.name)
    }
  }

  // MARK: - Comparing

  /// Describes what can be seen in each context. A deep look also fetches.
  func look(deep: Bool) -> [String] {
    var lines: [String] = []
    for slot in contexts.indices {
      let context = contexts[slot]
      lines.append(
        "\(slot): \(context.hasUnsavedChanges) \(context.canUndo) \(context.canRedo)"
          + " \(faults[slot].reasons)")
      for (key, object) in held[slot].sorted(by: { $0.key < $1.key }) {
        let changes = object.changes
        lines.append(
          "\(slot) \(object) \(changes.kind) \(changes.properties) \(object.isDeleted)"
            + " \(object.context === context)")
        guard deep, !object.isDeleted, object.context != nil,
          let id = ids.first(where: { $0.key == key })
        else { continue }
        if Self.find(id, in: context) !== object { lines.append("\(slot) \(key): another object") }
      }
      if !context.checkInvariants() { complaints.append("the invariants of \(slot) do not hold") }
      guard deep else { continue }
      do {
        lines.append("\(slot) \(try context.fetch(Card.self, sort: { $0.question }))")
        lines.append("\(slot) \(try context.values(Deck.self)) \(try context.count(Card.self))")
        lines.append("\(slot) \(try context.values(Shelf.self))")
        lines.append("\(slot) \(try context.fetch(Learner.self))")
        if let mirror = mirrors[slot] {
          let cards = try context.fetch(mirror.cards.list.request)
          let decks = try context.fetch(mirror.decks.list.request)
          if Array(mirror.cards.list) != cards || Array(mirror.decks.list) != decks {
            complaints.append("the lists of \(slot) differ from a fetch")
          }
        }
      } catch {
        lines.append("\(slot) \(error)")
      }
    }
    if deep { lines += stored }
    return lines
  }

  /// The rows of the store.
  private var stored: [String] {
    let fresh = ObjectContext(store: store)
    var lines: [String] = []
    for id in ids { if let object = Self.find(id, in: fresh) { lines.append("store \(object)") } }
    return lines
  }
}
