import LineageTestSupport

/// A generator of random scripts. It also runs an oracle, in order to choose steps that make sense.
struct Generator {
  private var random: SplitMix64
  private let oracle = Oracle()
  private var script: Script
  private var objects = 0
  private var contexts = 1
  /// The kinds of new objects. Every second program has many learners, whose names are never in
  /// conflict.
  private let kinds: [Kind]

  static func script(seed: UInt64, steps: Int, holds: Bool) -> Script {
    var generator = Generator(seed: seed, holds: holds)
    while generator.script.steps.count < steps {
      let step = generator.step()
      _ = generator.oracle.perform(step)
      generator.script.steps.append(step)
    }
    return generator.script
  }

  private init(seed: UInt64, holds: Bool) {
    random = SplitMix64(seed: seed)
    kinds =
      seed % 2 == 0
      ? [.card, .card, .card, .deck, .deck, .shelf, .learner, .tally]
      : [.card, .deck, .shelf, .learner, .learner, .learner, .tally, .tally]
    script = Script(seed: seed, holds: holds, steps: [])
  }

  private mutating func step() -> Step {
    let context = random.pick(oracle.levels.keys.sorted())
    // The archive is often as new as it can be.
    if script.steps.last == .archive, random.chance(40) { return .restart }
    switch random.below(100) {
    case 0..<12: return births(context)
    case 12..<49: return change(context)
    case 49..<52: return putBack() ?? change(context)
    case 52..<60: return .save(context)
    case 60..<62: return .saveAll(context)
    case 62..<65: return .discard(context)
    case 65..<71: return family(context)
    case 71..<73: return .policy(random.pick(Step.Policy.allCases), in: context)
    case 73..<76: return .recordUndo(random.chance(75), in: context)
    case 76..<81: return .undo(context)
    case 81..<83: return .redo(context)
    case 83..<85:
      return .group((0..<(1 + random.below(3))).map { _ in change(context) }, in: context)
    case 85..<89: return foreign()
    case 89..<91:
      return random.pick([.refresh(context), .archive, .archive, .restart])
    case 91..<96: return .fetch(question(context), in: context)
    case 96..<98: return .cards(number(in: context, .tally), in: context)
    default:
      return .members(anyNumber(), relation: random.below(Relation.all.count), in: context)
    }
  }

  /// Draws a deletion to put back, mostly one of the last.
  private mutating func putBack() -> Step? {
    let known = oracle.deletions.indices.filter { oracle.deletions[$0] != nil }
    return known.isEmpty
      ? nil : .putBack(random.pick(Array(known.suffix(random.chance(70) ? 2 : 9))))
  }

  private mutating func births(_ context: Int) -> Step {
    // There are few objects, so that many steps affect the same ones.
    guard objects < 26 else { return change(context) }
    if random.chance(20) { return upsert(context) }
    guard random.chance(35) else { return .insert(new(), into: context) }
    let deck = new(.deck)
    var card = new(.card)
    card.link = (2, deck.number)
    var second = new(.card)
    second.link = random.chance(50) ? (2, deck.number) : (3, card.number)
    let news = [deck, card, second]
    return .draft(news, through: random.pick(news).number, into: context)
  }

  private mutating func upsert(_ context: Int) -> Step {
    let news = (0...random.below(3)).map { _ in
      var deck = new(.deck)
      if random.chance(60), let shelf = oracle.all(.shelf, context).randomElement(using: &random) {
        deck.link = (1, shelf)
      }
      return deck
    }
    return .upsert(news, in: context)
  }

  private mutating func change(_ context: Int) -> Step {
    let number = number(in: context)
    guard let kind = oracle.kinds[number] else { return .insert(new(), into: context) }
    if random.chance(3) {
      return .deleteAll((0...random.below(3)).map { _ in self.number(in: context) }, in: context)
    }
    if random.chance(14) { return .delete(number, in: context) }
    if random.chance(kind == .tally ? 60 : 6) { return link(context) }
    let fields = Relation.all.filter { $0.from == kind }
    guard let relation = fields.isEmpty ? nil : random.pick(fields), random.chance(45) else {
      return edit(number, kind, in: context)
    }
    if random.chance(8), objects < 26 {
      return .linkNew(number, field: relation.field, new(relation.to), in: context)
    }
    // A slip always leads from a tally to a card.
    let isNil = kind != .slip && random.chance(20)
    let target = isNil ? nil : self.number(in: context, relation.to)
    return .link(number, field: relation.field, target, in: context)
  }

  /// Draws a change of the cards that a tally lists.
  private mutating func link(_ context: Int) -> Step {
    let tally = number(in: context, .tally)
    switch random.below(5) {
    case 0: return .removeCard(tally, at: random.below(6), in: context)
    case 1, 2: return .moveCard(tally, from: random.below(6), to: random.below(6), in: context)
    default:
      let index = random.chance(40) ? nil : random.below(6)
      let card = number(in: context, .card)
      return .enlist(tally, card: card, at: index, new(.slip), in: context)
    }
  }

  /// Draws an edit. Some edits set the value that is already shown, and some set back an edited
  /// value.
  private mutating func edit(_ number: Int, _ kind: Kind, in context: Int) -> Step {
    let field = kind == .card && random.chance(60) ? 1 : 0
    var value = field == 1 ? random.below(4) : text(kind)
    if random.chance(15), let row = oracle.view(number, context) { value = row[field] }
    if random.chance(15), let local = oracle.levels[context]?.local[number] {
      value = local.contested[field] ?? local.base[field]
    }
    return .edit(number, field: field, value, in: context)
  }

  private mutating func family(_ context: Int) -> Step {
    var depth = 0
    var level: Int? = context
    while let next = level, next != 0 {
      depth += 1
      level = oracle.levels[next]?.parent
    }
    if depth < 3, oracle.levels.count < 6, random.chance(60) {
      contexts += 1
      return .child(contexts - 1, of: context)
    }
    let leaves = oracle.levels.keys.sorted().filter(oracle.canDrop)
    return leaves.isEmpty ? .save(context) : .drop(random.pick(leaves))
  }

  private mutating func foreign() -> Step {
    let saves = random.chance(40)
    let number = random.chance(80) ? storedNumber() : anyNumber()
    guard let kind = oracle.kinds[number] else { return .refresh(0) }
    let change: Step.Foreign
    switch random.below(10) {
    case 0..<6:
      let field = kind == .card && random.chance(60) ? 1 : 0
      var value = field == 1 ? random.below(4) : text(kind)
      // The value is often the one that the first context shows.
      if random.chance(30), let row = oracle.view(number, 0) { value = row[field] }
      change = .edit(number, field: field, value)
    case 6..<8:
      let relation = Relation.all.first { $0.from == kind }
      change =
        relation.map { .link(number, field: $0.field, self.number(in: -1, $0.to)) }
        ?? .delete(number)
    case 8: change = .delete(number)
    default: change = objects < 26 ? .insert(new()) : .delete(number)
    }
    return .foreign(change, savesBefore: saves)
  }

  private mutating func new(_ kind: Kind? = nil) -> Step.New {
    objects += 1
    let kind = kind ?? random.pick(kinds)
    return Step.New(
      number: objects - 1, kind: kind, text: text(kind), count: random.below(4))
  }

  /// Draws a name. The names of decks are unique, so there are more of them.
  private mutating func text(_ kind: Kind) -> Int { random.below(kind == .deck ? 20 : 4) }

  private mutating func question(_ context: Int) -> Question {
    Question(
      test: random.pick(Question.Test.allCases), argument: random.below(5),
      order: random.pick(Question.Order.allCases), limit: random.chance(60) ? nil : random.below(5),
      offset: random.chance(70) ? 0 : random.below(3))
  }

  private mutating func anyNumber() -> Int { random.below(max(objects, 1)) }

  private mutating func storedNumber() -> Int {
    oracle.store.isEmpty ? anyNumber() : random.pick(oracle.store.keys.sorted())
  }

  private mutating func number(in context: Int, _ kind: Kind? = nil) -> Int {
    let level: Int? = context < 0 ? nil : context
    let found = oracle.kinds.keys.sorted().filter {
      (kind == nil || oracle.kinds[$0] == kind) && oracle.view($0, level) != nil
    }
    return found.isEmpty ? anyNumber() : random.pick(found)
  }
}
