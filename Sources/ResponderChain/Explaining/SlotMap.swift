/// The slots of a tree for one key. With this map, the answers of all responders need one walk of the
/// tree together, and not one walk each.
package struct SlotMap<K: ContextKey> {
  /// A slot with the places of others. Places are numbered in the order of the walk.
  package struct Place {
    /// The number of the responder that has the slot.
    package let owner: Int
    /// The kind of the slot.
    package var kind: SlotSummary.SlotKind { slot.kind }
    /// The place at which the slot was made; nil if origins are not kept.
    package let origin: SlotOrigin?
    let slot: Slot
    /// The place of the next slot above; nil if there is none.
    fileprivate let above: Int?
    /// The place of the slot that answers the owner's lookup; nil if none does.
    fileprivate let decider: Int?
    /// The number of slots from this one up to its decider.
    fileprivate let distance: Int
    /// The number of slots from the top to this one, without blocks.
    fileprivate let depth: Int
    /// The place of the next slot above that is no block; nil if there is none.
    fileprivate let nearAbove: Int?

    fileprivate var isBlock: Bool { kind == .block }
  }

  /// The answer to a responder's lookup.
  package struct MappedAnswer {
    /// The place of the slot that has answered; nil if none has.
    package let winner: Int?
    /// The number of slots from the responder's nearest one up to the winner.
    package let distance: Int
    /// Whether there are slots above a block that has answered.
    package let isWall: Bool
    /// The words of the answer.
    package let words: ExplainedAnswer
  }

  package let places: [Place]
  /// The place of the nearest slot of each responder, its own or one above; -1 if there is none.
  package let nearest: [Int]
  /// The number of slots at the responders up to each one, in the order of the walk.
  package let counts: [Int]
  /// The number of responders and slots that were visited. Tests check it.
  package private(set) var visits = 0

  private let walk: TreeWalk
  private let tree: TreeState?
  /// The places of the slots that are no blocks.
  private let near: [Int]
  /// The number of such slots before each place, and at the end.
  private let nearCounts: [Int]
  /// The first slots outside of the tree that are no blocks.
  private let outside: [NearSlot]

  /// Creates the map of a tree. `owners` are the numbers of the responders that have slots for the key,
  /// in ascending order.
  ///
  /// - Complexity: O(*n*) for *n* responders, including those in trees that were detached from this one.
  package init(_ key: K.Type, _ walk: TreeWalk, owners: [Int]) {
    self.walk = walk
    tree = walk.top.attachedTree
    let id = KeyID(key)
    var (places, nearest, counts): ([Place], [Int], [Int]) = ([], [], [])
    var (near, nearCounts): ([Int], [Int]) = ([], [0])
    for (number, parent) in walk.parents.enumerated() {
      let above = parent < 0 || nearest[parent] < 0 ? nil : nearest[parent]
      if places.count < owners.count, owners[places.count] == number,
        let contents = walk.responders[number].contents, let slot = contents.slot(id)
      {
        let place = Place(slot, contents.hooks?.origins[id], of: number, above, in: places)
        if !place.isBlock { near.append(places.count) }
        nearCounts.append(near.count)
        nearest.append(places.count)
        places.append(place)
      } else {
        nearest.append(above ?? -1)
      }
      counts.append(places.count)
    }
    (self.places, self.nearest, self.counts) = (places, nearest, counts)
    (self.near, self.nearCounts) = (near, nearCounts)
    var looked = walk.responders.count
    outside = NearSlot.outside(walk.top, id) { looked += 1 }
    visits = looked
  }

  /// Returns the kind of the slot that answers the lookup of a slot's owner; nil if none does.
  package func kindOfWinner(_ place: Place) -> SlotSummary.SlotKind? {
    place.decider.map { places[$0].kind }
  }

  /// Returns the number of the responder that has the nearest slot of a responder; nil if there is none.
  package func owner(nearest number: Int) -> Int? {
    nearest[number] < 0 ? nil : places[nearest[number]].owner
  }

  /// Explains the lookup of the responder with a number, as `explain` does. Closures return the texts
  /// for the labels and paths of responders.
  ///
  /// - Complexity: O(log *s*) for *s* slots.
  package mutating func answer(
    at number: Int, label: @escaping (Responder) -> String,
    path: @escaping (Responder) -> String
  ) -> MappedAnswer {
    let nearest = nearest[number] < 0 ? nil : places[nearest[number]]
    let winner = nearest?.decider
    let decider = winner.map {
      (responder: walk.responders[places[$0].owner], slot: places[$0].slot)
    }
    let isBranch = (nearest?.distance ?? 0) > 0
    let hasValue = decider?.slot.readableCell != nil
    var explainer = Explainer(
      K.self, asker: walk.responders[number], in: (walk.top, tree), label: label, path: path)
    return MappedAnswer(
      winner: winner, distance: nearest?.distance ?? 0,
      isWall: winner.map { places[$0].isBlock && places[$0].above != nil } ?? false,
      words: explainer.answer(
        decider, branch: isBranch ? nearest.map { walk.responders[$0.owner] } : nil,
        nearSlots: hasValue ? [] : nearSlots(at: number, winner)))
  }

  /// Returns at most eight slots that are not on the way of a responder's lookup, as
  /// `Explainer.nearSlots` does.
  private mutating func nearSlots(at number: Int, _ winner: Int?) -> [NearSlot] {
    var found: [NearSlot] = []
    func add(_ place: Int, _ position: NearSlot.Position) {
      found.append(
        NearSlot(
          owner: walk.responders[places[place].owner], kind: places[place].kind,
          position: position))
    }
    // The slots at the responders up to this one, and those up to the last one below it.
    let (own, below) = (nearCounts[counts[number]], nearCounts[counts[walk.ends[number]]])
    for next in near[own..<below].prefix(nearMissLimit) { add(next, .below) }
    var above = winner.flatMap { places[$0].nearAbove }
    while let next = above, found.count < nearMissLimit {
      add(next, .above)
      above = places[next].nearAbove
    }
    var next = 0
    while next < near.count, found.count < nearMissLimit {
      visits += 1
      if next >= own, next < below {
        next = below
      } else if next < own, isAround(number, near[next]) {
        next = endOfAncestors(of: number, from: next, upTo: own)
      } else {
        add(near[next], .beside)
        next += 1
      }
    }
    visits += found.count + 1
    return found + outside.prefix(nearMissLimit - found.count)
  }

  /// Returns whether the owner of a place is a responder or one of its ancestors. The place must not be
  /// behind the responder.
  private func isAround(_ number: Int, _ place: Int) -> Bool {
    walk.ends[places[place].owner] >= number
  }

  /// Returns the end of the ancestors of a responder that follow each other in `near`. In the order of
  /// the walk, these are nested, so that a binary search finds the end.
  private mutating func endOfAncestors(of number: Int, from start: Int, upTo end: Int) -> Int {
    var (first, last) = (start, end)
    let depth = places[near[start]].depth - start
    while last - first > 1 {
      visits += 1
      let middle = (first + last) / 2
      let isNested = places[near[middle]].depth - middle == depth
      if isNested, isAround(number, near[middle]) { first = middle } else { last = middle }
    }
    return last
  }
}

extension SlotMap.Place {
  fileprivate init(
    _ slot: Slot, _ origin: SlotOrigin?, of owner: Int, _ above: Int?, in places: [Self]
  ) {
    (self.slot, self.origin, self.owner, self.above) = (slot, origin, owner, above)
    let next = above.map { places[$0] }
    if let branch = slot.branch, branch.child == nil {
      decider = next?.decider
      distance = (next?.distance ?? 0) + 1
    } else {
      decider = places.count
      distance = 0
    }
    nearAbove = next.flatMap { $0.isBlock ? $0.nearAbove : above }
    depth = (nearAbove.map { places[$0].depth } ?? 0) + (slot.kind == .block ? 0 : 1)
  }
}
