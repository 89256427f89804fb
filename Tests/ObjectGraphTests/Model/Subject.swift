import LineageTestSupport
import ObjectGraph

/// The subject of a random program: the library, with nested contexts on one store.
final class Subject {
  let store: any ObjectStore
  private let holds: Bool
  private(set) var contexts: [Int: ObjectContext] = [:]
  private var keys: [Int: Int64] = [:]
  private(set) var numbers: [Int64: Int] = [:]
  private(set) var kinds: [Int: Kind] = [:]
  /// For each context, the objects that the program retains.
  private var held: [Int: [GraphObject]] = [:]
  /// For each context, what follows it.
  private var witnesses: [Int: Witness] = [:]
  private var keptWitnesses: [Int: KeptWitness] = [:]
  private let faults = Faults()
  private var faultCount = 0
  private var archive: [Int: ArchivedContext] = [:]
  /// The deletions so far, with the numbers of their contexts. Those of contexts that have ended are
  /// nil.
  private var deletions: [(context: Int, deletion: Deletion)?] = []

  init(_ store: any ObjectStore, holds: Bool) {
    self.store = store
    self.holds = holds
    add(makeRoot(), 0)
    archive = contexts.mapValues { ArchivedContext($0, nil) }
  }

  func key(_ number: Int) -> Int64 { keys[number] ?? 1 }

  /// Performs a step and returns a text with its visible result.
  func perform(_ step: Step) -> String {
    let result = attempt { try carryOut(step) }
    let faults = faults.reasons
    defer { faultCount = faults.count }
    return result + faults[faultCount...].joined()
  }

  /// Returns the result of a closure, or a text for the error that it throws.
  private func attempt(_ body: () throws -> String) -> String {
    do {
      return try body()
    } catch let error as GraphError {
      switch error.reason {
      case .conflict(let reports):
        let objects = reports.map { report -> (number: Int, text: String) in
          let number = numbers[Int64(report.object.drop { $0 != "/" }.dropFirst()) ?? 0] ?? -1
          let fields = report.properties.compactMap {
            kinds[number]?.properties.firstIndex(of: $0)
          }
          return (number, "o\(number)\(fields.isEmpty ? "" : "\(fields)")")
        }
        let sorted = objects.sorted { $0.number < $1.number }
        return "conflict " + sorted.map(\.text).joined(separator: " ")
      case .dangling, .notUnique: return "constraint"
      case .denied: return "denied"
      case .invalid: return "invalid"
      default: return "\(error)"
      }
    } catch {
      return "\(error)"
    }
  }

  private func carryOut(_ step: Step) throws -> String {
    switch step {
    case .insert(let new, let context): return try insert([new], through: new.number, context)
    case .draft(let news, let through, let context):
      return try insert(news, through: through, context)
    case .edit(let number, let field, let value, let context):
      try contexts[context].map { try edit(number, field, value, $0) }
    case .link(let number, let field, let target, let context):
      try contexts[context].map { try link(number, field, target, $0) }
    case .linkNew(let number, let field, let new, let context):
      guard let context = contexts[context], let object = try find(number, context) else {
        return ""
      }
      link(object, field, make(new))
      try holdAll([new.number])
    case .delete(let number, let context):
      guard let found = contexts[context], let object = try find(number, found) else {
        return ""
      }
      deletions.append((context, try found.delete(object)))
    case .deleteAll(let numbers, let context):
      guard let found = contexts[context] else { return "" }
      let deletion = try found.delete(numbers.compactMap { try find($0, found) })
      if !deletion.isEmpty { deletions.append((context, deletion)) }
    case .upsert(let news, let context): return try upsert(news, context)
    case .putBack(let number):
      guard deletions.indices.contains(number), let (_, deletion) = deletions[number] else {
        return ""
      }
      try deletion.putBack()
    case .save(let context): try contexts[context]?.save()
    case .saveAll(let context): try contexts[context]?.saveAll()
    case .discard(let context): contexts[context]?.discard()
    case .refresh(let context): try contexts[context]?.refresh()
    case .child(let child, let context):
      guard let parent = contexts[context], contexts[child] == nil else { return "" }
      add(parent.makeChild(), child)
      try holdAll(keys.keys.sorted())
    case .drop(let context):
      guard context != 0, let dropped = contexts[context],
        !contexts.values.contains(where: { $0.parent === dropped })
      else { return "" }
      (witnesses[context], keptWitnesses[context]) = (nil, nil)
      contexts[context] = nil
      held[context] = nil
      deletions = deletions.map { $0?.context == context ? nil : $0 }
    case .policy(let policy, let context):
      contexts[context]?.conflictPolicy = self.policy(policy)
    case .recordUndo(let records, let context): contexts[context]?.recordsUndo = records
    case .undo(let context): contexts[context]?.undo()
    case .redo(let context): contexts[context]?.redo()
    case .group(let steps, let context):
      guard let context = contexts[context] else { return "" }
      return context.group {
        steps.map { step in attempt { try carryOut(step) } }.joined(separator: ";")
      }
    case .foreign(let change, let savesBefore): return try foreign(change, savesBefore)
    case .fetch(let question, let context):
      guard let context = contexts[context] else { return "" }
      return "\(try answer(question, context))"
    case .members(let number, let relation, let context):
      guard let context = contexts[context], let object = try find(number, context) else {
        return ""
      }
      return members(of: object, relation).map { "\($0)" } ?? ""
    case .enlist(let tally, let card, let index, let new, let context):
      return try enlist(tally, card, at: index, new, context)
    case .moveCard(let tally, let start, let end, let context):
      try cards(tally, context) { cards in
        if !cards.isEmpty { try cards.move(from: start % cards.count, to: end % cards.count) }
      }
    case .removeCard(let tally, let index, let context):
      try cards(tally, context) { if !$0.isEmpty { try $0.remove(at: index % $0.count) } }
    case .archive:
      archive = contexts.mapValues { context in
        ArchivedContext(context, contexts.first { $0.value === context.parent }?.key)
      }
    case .restart: try restart()
    case .cards(let tally, let context):
      var result = ""
      try cards(tally, context) { result = "\($0.map { numbers[$0.key] ?? -1 })" }
      return result
    }
    return ""
  }

  private func insert(_ news: [Step.New], through: Int, _ context: Int) throws -> String {
    guard let context = contexts[context] else { return "" }
    var objects: [Int: GraphObject] = [:]
    for new in news { objects[new.number] = make(new) }
    for new in news {
      guard let object = objects[new.number], let (field, target) = new.link else { continue }
      link(object, field, objects[target])
    }
    if let object = objects[through] { try context.insert(object) }
    try holdAll(news.map(\.number))
    return ""
  }

  /// Inserts decks, or gives those with the same names the shelves of the new ones. Returns their
  /// numbers.
  private func upsert(_ news: [Step.New], _ number: Int) throws -> String {
    guard let context = contexts[number] else { return "" }
    let decks = news.map { new in
      var deck = Deck(Alphabet.text(new.text))
      deck.shelf = new.link.flatMap { keys[$0.target].map { Ref(key: $0) } }
      return deck
    }
    let found = try context.upsert(decks, by: \.name) { $0.shelf = $1.shelf }
    for (new, deck) in zip(news, found) where numbers[deck.id.key] == nil {
      (keys[new.number], numbers[deck.id.key], kinds[new.number]) = (deck.id.key, new.number, .deck)
    }
    try holdAll(news.map(\.number))
    return "\(found.map { numbers[$0.id.key] ?? -1 })"
  }

  /// Makes the contexts of the last archive anew, as a later process does, and replays their unsaved
  /// changes.
  private func restart() throws {
    for context in contexts.values { context.onError = { _ in } }
    (contexts, witnesses, keptWitnesses, held) = ([:], [:], [:], [:])
    deletions = deletions.map { _ in nil }
    for (number, archived) in archive.sorted(by: { $0.key < $1.key }) {
      let parent = archived.parent.flatMap { contexts[$0] }
      let context = parent?.makeChild() ?? makeRoot()
      add(context, number)
      try archived.restore(context)
    }
    try holdAll(keys.keys.sorted())
  }

  private func add(_ context: ObjectContext, _ number: Int) {
    contexts[number] = context
    keptWitnesses[number] = KeptWitness(context)
  }

  private func makeRoot() -> ObjectContext {
    let root = ObjectContext(store: store)
    root.onError = faults.hear
    return root
  }

  private func cards(
    _ tally: Int, _ context: Int, _ body: (Linked<Slip, Card>) throws -> Void
  ) throws {
    if let tally = try contexts[context].flatMap({ try find(tally, $0) }) as? Object<Tally> {
      try body(tally.cards)
    }
  }

  /// Links a card to a tally. Returns the number of the slip.
  private func enlist(
    _ tally: Int, _ card: Int, at index: Int?, _ new: Step.New, _ number: Int
  ) throws -> String {
    guard let context = contexts[number], let card = try find(card, context) as? Object<Card> else {
      return ""
    }
    var result = ""
    try cards(tally, number) { cards in
      let slip =
        try index.map { try cards.insert(card, at: $0 % (cards.count + 1)) } ?? cards.append(card)
      if numbers[slip.key] == nil {
        (keys[new.number], numbers[slip.key], kinds[new.number]) = (slip.key, new.number, .slip)
      }
      result = "\(numbers[slip.key] ?? -1)"
    }
    if !result.isEmpty { try holdAll([new.number]) }
    return result
  }

  private func make(_ new: Step.New) -> GraphObject {
    let text = Alphabet.text(new.text)
    let object: GraphObject =
      switch new.kind {
      case .card: Object(Card(text, rightCount: new.count))
      case .deck: Object(Deck(text))
      case .shelf: Object(Shelf(text))
      case .learner: Object(Learner(text))
      case .tally: Object(Tally(text))
      case .slip: Object(Slip())
      }
    keys[new.number] = object.key
    numbers[object.key] = new.number
    kinds[new.number] = new.kind
    return object
  }

  private func edit(_ number: Int, _ field: Int, _ value: Int, _ context: ObjectContext) throws {
    switch (try find(number, context), field) {
    case (let card as Object<Card>, 0): card.question = Alphabet.text(value)
    case (let card as Object<Card>, 1): card.rightCount = value
    case (let deck as Object<Deck>, 0): deck.name = Alphabet.text(value)
    case (let shelf as Object<Shelf>, 0): shelf.name = Alphabet.text(value)
    case (let learner as Object<Learner>, 0): learner.name = Alphabet.text(value)
    case (let tally as Object<Tally>, 0): tally.name = Alphabet.text(value)
    case (let slip as Object<Slip>, 0): slip.position = value
    default: break
    }
  }

  private func link(
    _ number: Int, _ field: Int, _ target: Int?, _ context: ObjectContext
  ) throws {
    guard let object = try find(number, context) else { return }
    let other = try target.flatMap { try find($0, context) }
    if target == nil || other != nil { link(object, field, other) }
  }

  private func link(_ object: GraphObject, _ field: Int, _ target: GraphObject?) {
    switch (object, field) {
    case (let card as Object<Card>, 2): change(\.deck, of: card, to: target)
    case (let card as Object<Card>, 3): change(\.next, of: card, to: target)
    case (let deck as Object<Deck>, 1): change(\.shelf, of: deck, to: target)
    case (let learner as Object<Learner>, 1): change(\.favourite, of: learner, to: target)
    case (let slip as Object<Slip>, 1): change(\.tally, of: slip, to: target)
    case (let slip as Object<Slip>, 2): change(\.card, of: slip, to: target)
    default: break
    }
  }

  private func change<Value: Entity, Target: Entity>(
    _ path: WritableKeyPath<Value, Ref<Target>?>, of object: Object<Value>, to target: GraphObject?
  ) {
    // A target of another entity is skipped.
    if let target, !(target is Object<Target>) { return }
    object[dynamicMember: path] = target as? Object<Target>
  }

  private func members(of object: GraphObject, _ relation: Int) -> [Int]? {
    let found: [GraphObject]? =
      switch (object, relation) {
      case (let deck as Object<Deck>, 0): deck.cards
      case (let card as Object<Card>, 1): card.previous
      case (let shelf as Object<Shelf>, 2): shelf.decks
      case (let card as Object<Card>, 3): card.fans
      case (let tally as Object<Tally>, 4): tally.slips
      default: nil
      }
    return found?.map { numbers[$0.key] ?? -1 }
  }

  private func answer(_ question: Question, _ context: ObjectContext) throws -> [Int] {
    func numbers<Value: Entity>(_ request: FetchRequest<Value>) throws -> [Int] {
      let found = try context.fetch(request)
      let values = try context.values(request)
      guard found.count == values.count else { throw Mishap("\(values.count) values") }
      if request.limit == nil, request.offset == 0 {
        guard try context.count(request) == found.count else { throw Mishap("another count") }
      }
      return found.map { self.numbers[$0.key] ?? -1 }
    }
    return question.test.kind == .card
      ? try numbers(question.cards(key)) : try numbers(question.decks())
  }

  private func foreign(_ change: Step.Foreign, _ savesBefore: Bool) throws -> String {
    guard let root = contexts[0] else { return "" }
    let other = ObjectContext(store: store)
    other.onError = { _ in }
    switch change {
    case .edit(let number, let field, let value):
      if try find(number, other) == nil { return "" }
      try edit(number, field, value, other)
    case .link(let number, let field, let target):
      if try find(number, other) == nil { return "" }
      if let target {
        guard try find(target, other) != nil, fits(number, field, target) else { return "" }
      }
      try link(number, field, target, other)
    case .delete(let number):
      guard let object = try find(number, other) else { return "" }
      try other.delete(object)
    case .insert(let new): try other.insert(make(new))
    }
    var result = attempt {
      try other.save()
      return ""
    }
    if savesBefore {
      result += attempt {
        try root.save()
        return ""
      }
    }
    try root.merge()
    if case .insert(let new) = change { try holdAll([new.number]) }
    return result
  }

  private func fits(_ number: Int, _ field: Int, _ target: Int) -> Bool {
    kinds[number].flatMap { Relation.of($0, field) }?.to == kinds[target]
  }

  private func policy(_ policy: Step.Policy) -> ConflictPolicy {
    switch policy {
    case .error: .error
    case .mine: .mine
    case .theirs: .theirs
    case .resolve: .resolve { [unowned self] conflict in decide(conflict) }
    }
  }

  /// Returns a description of a live value or an observer that does not show what its context shows;
  /// nil if there is none. Cards are observed only if the program retains all objects.
  func followingComplaint() throws -> String? {
    for (number, context) in contexts.sorted(by: { $0.key < $1.key }) {
      let witness = try witnesses[number] ?? Witness(context)
      witnesses[number] = witness
      let kept = keptWitnesses[number]
      if let complaint = try witness.complaint() ?? witness.unheard() ?? kept?.complaint() {
        return "c\(number): \(complaint)"
      }
      guard holds else { continue }
      for case let card as Object<Card> in held[number] ?? [] where card.context != nil {
        witness.observe(card)
      }
    }
    return nil
  }

  private func holdAll(_ numbers: [Int]) throws {
    guard holds else { return }
    // Parents come first, because their children copy the objects that the parents have.
    for (name, context) in contexts.sorted(by: { $0.key < $1.key }) {
      held[name, default: []] += try numbers.compactMap { try find($0, context) }
    }
  }
}
