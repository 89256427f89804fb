import LineageTestSupport
import ObjectGraph

extension ChainWorld {
  func find(_ id: (entity: Int, key: Int64), in slot: Int) -> GraphObject? {
    if let object = held[slot][id.key], object.context != nil { return object }
    let found = Self.find(id, in: contexts[slot])
    if let found { held[slot][id.key] = found }
    return found
  }

  static func find(_ id: (entity: Int, key: Int64), in context: ObjectContext)
    -> GraphObject?
  {
    switch id.entity {
    case 0: return try? context.find(Ref<Card>(key: id.key))
    case 1: return try? context.find(Ref<Deck>(key: id.key))
    case 2: return try? context.find(Ref<Shelf>(key: id.key))
    default: return try? context.find(Ref<Learner>(key: id.key))
    }
  }

  func touchAll() {
    for slot in contexts.indices { for id in ids { _ = find(id, in: slot) } }
  }

  func pick<Value: Entity>(
    _ entity: Int, _ random: inout SplitMix64, in context: ObjectContext
  ) -> Object<Value>? {
    let all = ids.filter { $0.entity == entity }
    guard !all.isEmpty else { return nil }
    return try? context.find(Ref<Value>(key: random.pick(all).key))
  }

  /// Makes one random edit in a context. Keeps touched objects in `held` if `slot` is not nil.
  func edit(_ random: inout SplitMix64, in context: ObjectContext, slot: Int?) {
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

  func insert(_ random: inout SplitMix64, in context: ObjectContext, slot: Int?) {
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
}
