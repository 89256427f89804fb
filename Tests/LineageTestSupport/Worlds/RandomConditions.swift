import ObjectGraph

/// A generator of random filters and orders. Each comes with a closure in plain Swift that must
/// give the same answers.
///
/// ```swift
/// var random = RandomConditions(seed: seed)
/// let test = random.sampleFilter()
/// let expected = world.samples.filter { test.holds(world, $0) }.map(\.id.key)
/// ```
package struct RandomConditions {
  private var random: SplitMix64

  package init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func below(_ bound: Int) -> Int { random.below(bound) }

  /// Draws a filter of samples with at most the given number of nested operators: and, or, not,
  /// any, all.
  package mutating func sampleFilter(depth: Int = 2) -> FilterCase<Sample> {
    guard depth > 0 else { return sampleLeaf() }
    switch random.below(8) {
    case 0, 1: return sampleFilter(depth: depth - 1) && sampleFilter(depth: depth - 1)
    case 2, 3: return sampleFilter(depth: depth - 1) || sampleFilter(depth: depth - 1)
    case 4: return !sampleFilter(depth: depth - 1)
    case 5:
      let inner = sampleFilter(depth: depth - 1)
      return any({ $0.friends }, inner) { world, row in
        world.samples.filter { $0.value.friend == row.id }
      }
    case 6:
      let inner = sampleFilter(depth: depth - 1)
      return all({ $0.group.members }, inner) { world, row in
        world[row.value.group].map { group in
          world.samples.filter { $0.value.group == group.id }
        } ?? []
      }
    default: return sampleLeaf()
    }
  }

  /// Draws a filter of groups with about the given number of nested operators.
  package mutating func groupFilter(depth: Int = 2) -> FilterCase<Group> {
    guard depth > 0 else {
      return random.pick(Start<Group, Columns<Group>>().probes).filter(&random)
    }
    func members(_ world: World, _ row: World.Row<Group>) -> [World.Row<Sample>] {
      world.samples.filter { $0.value.group == row.id }
    }
    switch random.below(5) {
    case 0: return groupFilter(depth: depth - 1) && groupFilter(depth: depth - 1)
    case 1: return groupFilter(depth: depth - 1) || !groupFilter(depth: depth - 1)
    case 2: return any({ $0.members }, sampleFilter(depth: depth - 1), members)
    case 3: return all({ $0.members }, sampleFilter(depth: depth - 1), members)
    default:
      let probes = Start<Group, Columns<Group>>()
        .to({ $0.leader }, { $0[$1.leader] }).probes
      return random.pick(probes).filter(&random)
    }
  }

  /// Draws an order of samples by at most three sort keys. Rows that tie are in the order of their
  /// ids.
  package mutating func sampleOrder() -> OrderCase<Sample> {
    var keys: [OrderCase<Sample>] = []
    for _ in 0..<random.below(4) {
      let own = Start<Sample, Columns<Sample>>()
      switch random.below(6) {
      case 0: keys.append(random.pick(own.friend.probes).order(&random))
      case 2, 3: keys.append(random.sampleTextOrder())
      case 1: keys.append(random.pick(own.group.probes).order(&random))
      default: keys.append(random.pick(own.probes).order(&random))
      }
    }
    let cases = keys
    return OrderCase(order: Ordering(terms: cases.flatMap(\.order.terms))) { world, one, other in
      for key in cases {
        let order = key.compare(world, one, other)
        if order != 0 { return order }
      }
      return one.id < other.id ? -1 : one.id == other.id ? 0 : 1
    }
  }

  private mutating func sampleLeaf() -> FilterCase<Sample> {
    let own = Start<Sample, Columns<Sample>>()
    switch random.below(12) {
    case 0, 1, 2: return random.pick(own.probes).filter(&random)
    case 3: return random.pick(own.friend.probes).filter(&random)
    case 4: return random.pick(own.group.probes).filter(&random)
    case 5:
      return random.pick(own.group.to({ $0.leader }, { $0[$1.leader] }).probes).filter(&random)
    case 6: return random.sampleComparison()
    case 7, 8: return random.sampleText()
    case 9: return random.sampleCount()
    case 10: return random.sampleReference()
    default: return random.sampleEnum()
    }
  }
}

extension Start where Root == Sample, Path == Columns<Sample> {
  var friend: Start<Sample, ToOneColumn<Sample, Sample>> {
    to({ $0.friend }, { $0[$1.friend] })
  }
  var group: Start<Sample, ToOneColumn<Sample, Group>> {
    to({ $0.group }, { $0[$1.group] })
  }
}

private func any<Root, Target: Entity>(
  _ many: @escaping (Columns<Root>) -> ToManyColumn<Root, Target>, _ inner: FilterCase<Target>,
  _ rows: @escaping (World, World.Row<Root>) -> [World.Row<Target>]
) -> FilterCase<Root> {
  FilterCase(filter: Filter { many($0).contains { _ in inner.filter } }) { world, row in
    rows(world, row).contains { inner.holds(world, $0) }
  }
}

private func all<Root, Target: Entity>(
  _ many: @escaping (Columns<Root>) -> ToManyColumn<Root, Target>, _ inner: FilterCase<Target>,
  _ rows: @escaping (World, World.Row<Root>) -> [World.Row<Target>]
) -> FilterCase<Root> {
  FilterCase(filter: Filter { many($0).allSatisfy { _ in inner.filter } }) { world, row in
    rows(world, row).allSatisfy { inner.holds(world, $0) }
  }
}

private func && <Root>(one: FilterCase<Root>, other: FilterCase<Root>) -> FilterCase<Root> {
  FilterCase(filter: one.filter && other.filter) { one.holds($0, $1) && other.holds($0, $1) }
}

private func || <Root>(one: FilterCase<Root>, other: FilterCase<Root>) -> FilterCase<Root> {
  FilterCase(filter: one.filter || other.filter) { one.holds($0, $1) || other.holds($0, $1) }
}

prefix private func ! <Root>(one: FilterCase<Root>) -> FilterCase<Root> {
  FilterCase(filter: !one.filter) { !one.holds($0, $1) }
}
