import ObjectGraph

// Simple filters that do more than compare one attribute with a literal.

extension SplitMix64 {
  /// Draws a filter that compares two attributes. Each of them belongs to a sample, its friend or
  /// its group.
  mutating func sampleComparison() -> FilterCase<Sample> {
    let own = Start<Sample, Columns<Sample>>()
    switch below(5) {
    case 0: return own.number.comparison(with: own.friend.number, &self)
    case 1: return own.text.comparison(with: own.group.name, &self)
    case 2: return own.maybeText.comparison(with: own.friend.maybeText, &self)
    case 3: return own.friend.score.comparison(with: own.score, &self)
    default:
      return chance(50)
        ? FilterCase(filter: Filter { $0.friend.group == $0.group }) {
          $0[$1.value.friend]?.value.group == $1.value.group
        }
        : FilterCase(filter: Filter { $0.friend.group != $0.group }) {
          $0[$1.value.friend]?.value.group != $1.value.group
        }
    }
  }

  /// Draws a filter that tests a text with random options.
  mutating func sampleText() -> FilterCase<Sample> {
    let text = text()
    let options = TextOptions(rawValue: below(4))
    let test = below(4)
    func holds(_ value: String?) -> Bool {
      guard let value else { return false }
      let bytes = Bytes(Folding.fold(value, options: options))
      let other = Bytes(Folding.fold(text, options: options))
      return switch test {
      case 0: bytes.contains(other)
      case 1: bytes.hasPrefix(other)
      case 2: bytes.hasSuffix(other)
      default: bytes == other
      }
    }
    switch below(3) {
    case 0:
      return FilterCase(
        filter: Filter {
          switch test {
          case 0: $0.text.contains(text, options)
          case 1: $0.text.hasPrefix(text, options)
          case 2: $0.text.hasSuffix(text, options)
          default: $0.text.equals(text, options)
          }
        }, holds: { holds($1.value.text) })
    case 1:
      return FilterCase(
        filter: Filter {
          switch test {
          case 0: $0.maybeText.contains(text, options)
          case 1: $0.maybeText.hasPrefix(text, options)
          case 2: $0.maybeText.hasSuffix(text, options)
          default: $0.maybeText.equals(text, options)
          }
        }, holds: { holds($1.value.maybeText) })
    default:
      return FilterCase(
        filter: Filter {
          switch test {
          case 0: $0.group.name.contains(text, options)
          case 1: $0.group.name.hasPrefix(text, options)
          case 2: $0.group.name.hasSuffix(text, options)
          default: $0.group.name.equals(text, options)
          }
        }, holds: { holds($0[$1.value.group]?.value.name) })
    }
  }

  /// Draws an order by one text in an order of texts. The text belongs to a sample, its friend or
  /// its group.
  mutating func sampleTextOrder() -> OrderCase<Sample> {
    let order = textOrder()
    let isDescending = chance(50)
    let place = below(4)
    func key(_ key: OrderKey<Sample>) -> OrderKey<Sample> { isDescending ? key.descending : key }
    func text(_ world: World, _ row: World.Row<Sample>) -> String? {
      switch place {
      case 0: row.value.text
      case 1: row.value.maybeText
      case 2: world[row.value.friend]?.value.maybeText
      default: world[row.value.group]?.value.name
      }
    }
    let ordering = Ordering<Sample> {
      switch (place, order) {
      case (0, .folded): key($0.text.folded)
      case (0, .natural): key($0.text.natural)
      case (1, .folded): key($0.maybeText.folded)
      case (1, .natural): key($0.maybeText.natural)
      case (2, .folded): key($0.friend.maybeText.folded)
      case (2, .natural): key($0.friend.maybeText.natural)
      case (_, .folded): key($0.group.name.folded)
      case (_, .natural): key($0.group.name.natural)
      }
    }
    return OrderCase(order: ordering) { world, one, other in
      let place = TextOracle.order(text(world, one), text(world, other), in: order)
      return isDescending ? -place : place
    }
  }

  /// Draws a filter by the number of objects in a to-many property.
  mutating func sampleCount() -> FilterCase<Sample> {
    let bound = below(4)
    func count(_ world: World, _ row: World.Row<Sample>) -> Int {
      world.samples.count { $0.value.friend == row.id }
    }
    switch below(7) {
    case 0: return FilterCase(filter: Filter { $0.friends.isEmpty }) { count($0, $1) == 0 }
    case 1:
      return FilterCase(filter: Filter { $0.friends.count == bound }) { count($0, $1) == bound }
    case 2:
      return FilterCase(filter: Filter { $0.friends.count != bound }) { count($0, $1) != bound }
    case 3: return FilterCase(filter: Filter { $0.friends.count < bound }) { count($0, $1) < bound }
    case 4:
      return FilterCase(filter: Filter { $0.friends.count <= bound }) { count($0, $1) <= bound }
    case 5: return FilterCase(filter: Filter { $0.friends.count > bound }) { count($0, $1) > bound }
    default:
      return FilterCase(filter: Filter { $0.group.members.count >= bound }) { world, row in
        let group = world[row.value.group]
        return world.samples.count { group != nil && $0.value.group == group?.id } >= bound
      }
    }
  }

  /// Draws a filter by an id or by a to-one property.
  mutating func sampleReference() -> FilterCase<Sample> {
    let id = Ref<Sample>(key: Int64(below(40) * 3 + 1))
    let group = chance(25) ? nil : Ref<Group>(key: Int64(below(10) * 2 + 1))
    let groups = (0..<3).map { _ in Ref<Group>(key: Int64(below(10) * 2 + 1)) }
    switch below(8) {
    case 0: return FilterCase(filter: Filter { $0.id == id }) { $1.id == id }
    case 1: return FilterCase(filter: Filter { $0.id < id }) { $1.id < id }
    case 2: return FilterCase(filter: Filter { $0.id >= id }) { $1.id >= id }
    case 3: return FilterCase(filter: Filter { $0.group == group }) { $1.value.group == group }
    case 4: return FilterCase(filter: Filter { $0.group != group }) { $1.value.group != group }
    case 5:
      return FilterCase(filter: Filter { $0.friend.group == group }) {
        $0[$1.value.friend]?.value.group == group
      }
    case 6:
      return FilterCase(filter: Filter { $0.friend.id != id }) { $1.value.friend != id }
    default:
      return FilterCase(filter: Filter { $0.group.isIn(groups) }) {
        $1.value.group.map(groups.contains) ?? false
      }
    }
  }

  /// Draws a filter that tests an enum for equality or JSON for nil.
  mutating func sampleEnum() -> FilterCase<Sample> {
    let mood = pick(Sample.Mood.allCases)
    let rank = maybe { $0.pick(Sample.Rank.allCases) }
    let ranks = (0..<3).map { _ in maybe { $0.pick(Sample.Rank.allCases) } }
    switch below(7) {
    case 0: return FilterCase(filter: Filter { $0.mood == mood }) { $1.value.mood == mood }
    case 1: return FilterCase(filter: Filter { $0.mood != mood }) { $1.value.mood != mood }
    case 2:
      return FilterCase(filter: Filter { $0.maybeRank == rank }) { $1.value.maybeRank == rank }
    case 3:
      return FilterCase(filter: Filter { $0.maybeRank != rank }) { $1.value.maybeRank != rank }
    case 4:
      return FilterCase(filter: Filter { $0.maybeRank.isIn(ranks) }) {
        ranks.contains($1.value.maybeRank)
      }
    case 5: return FilterCase(filter: Filter { $0.maybeTags == nil }) { $1.value.maybeTags == nil }
    default: return FilterCase(filter: Filter { $0.maybeTags != nil }) { $1.value.maybeTags != nil }
    }
  }
}
