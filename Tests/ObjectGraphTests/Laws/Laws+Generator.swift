import LineageTestSupport

extension Laws {
  /// A generator of random settings and steps.
  struct Generator {
    private var random: SplitMix64
    private var count = 0

    init(seed: UInt64) { random = SplitMix64(seed: seed) }
  }
}

extension Laws.Generator {
  typealias ID = Laws.ID
  typealias Property = Laws.Property
  typealias Row = Laws.Row
  typealias Step = Laws.Step
  typealias World = Laws.World

  mutating func setting() -> Laws.Setting {
    var rows = [Row.team(random.below(3)), Row.team(random.below(3))]
    for id in 3...6 {
      rows.append(
        Row(cells: [
          random.below(3), random.below(3), random.below(3), random.chance(20) ? 2 : 0,
          id > 3 && random.chance(50) ? random.below(id - 3) + 3 : 0,
        ]))
    }
    count = rows.count
    return Laws.Setting(
      rows: rows, holdsAll: random.chance(60),
      recordsUndo: (0..<4).map { _ in random.chance(50) },
      lists: (0..<4).map { _ in
        (0..<random.below(3)).map { _ in random.below(Laws.requests.count) }
      })
  }

  /// Draws a random step. Most steps make sense in the world.
  mutating func step(in world: World) -> Step {
    let context = random.below(4)
    let root = random.below(2)
    switch random.below(100) {
    case ..<8: return .group(context, (0...random.below(3)).map { _ in edit(context, world) })
    case ..<50: return edit(context, world)
    case ..<55: return .undo(context)
    case ..<57: return .redo(context)
    case ..<60: return .discard(context)
    case ..<66: return .save(root)
    case ..<74: return .save(2 + random.below(2))
    case ..<78: return .saveAll(2 + random.below(2))
    case ..<86: return .merge(root)
    case ..<89: return .slice(root, 1 + random.below(2))
    case ..<91: return .refresh(root)
    default: return .policy(context, policy())
    }
  }

  private mutating func policy() -> Laws.Policy {
    switch random.below(10) {
    case ..<3: .error
    case ..<5: .mine
    case ..<7: .theirs
    case ..<9: .resolve
    default: .refuse
    }
  }

  private mutating func edit(_ context: Int, _ world: World) -> Step {
    let shown = world.shown(in: context)
    let ids = shown.keys.sorted()
    if ids.count < 4 || (ids.count < 9 && random.chance(6)) { return insert(context, world) }
    let id = random.pick(ids)
    guard let row = shown[id] else { return insert(context, world) }
    switch random.below(100) {
    case ..<6: return .delete(context, id)
    case ..<12:
      var row = row
      for property in row.properties where random.chance(40) {
        row[property] = value(property, of: id, context, shown, world)
      }
      return .assign(context, id, row)
    default:
      let property = random.chance(55) ? .points : random.pick(Array(row.properties))
      return .set(context, id, property, value(property, of: id, context, shown, world))
    }
  }

  private mutating func insert(_ context: Int, _ world: World) -> Step {
    if random.chance(30), let id = world.contexts[context].drafts.keys.sorted().last {
      return .insertAgain(context, id)
    }
    count += 1
    let points = random.below(3)
    return .insert(context, count, random.chance(25) ? .team(points) : .person(points))
  }

  /// Draws a value for a property. In about a quarter of the cases, it is the base's value, so
  /// edits are also set back.
  private mutating func value(
    _ property: Property, of id: ID, _ context: Int, _ shown: [ID: Row], _ world: World
  ) -> Int {
    if random.chance(25), let base = world.base(id, in: context)?[property],
      base == 0 || !property.isReference || shown[base] != nil
    {
      return base
    }
    switch property {
    case .points, .name: return random.below(3)
    case .team, .leads, .friend:
      let targets = shown.filter { $0.value.isTeam == (property != .friend) }.keys.sorted()
      let chance = property == .leads ? 20 : 60
      return targets.isEmpty || !random.chance(chance) ? 0 : random.pick(targets)
    }
  }
}
