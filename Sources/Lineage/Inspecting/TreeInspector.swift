import Foundation
import ResponderChain

/// The gathering of the data of an inspector's page.
struct TreeInspector {
  private let walk: TreeWalk
  private var tree: InspectedTree
  private var texts = NumberedList<String>()
  private var answers = NumberedList<RegionAnswer>()
  private var contexts = ContextInspector()
  private let visits = InspectionVisits()

  /// Gathers the data of the whole tree of a responder. Also returns the number of responders and
  /// slots that were visited for this, which tests check.
  static func inspect(_ asker: Responder, at date: Date) -> (tree: InspectedTree, visits: Int) {
    var inspector = TreeInspector(asker, date)
    let tree = inspector.inspect()
    return (tree, inspector.visits.count)
  }

  private init(_ asker: Responder, _ date: Date) {
    walk = TreeWalk(treeOf: asker)
    let top = walk.top
    tree = InspectedTree(
      application: top.debugLabel, date: date.ISO8601Format(),
      strategy: (top as? Application)?.strategy.rawValue,
      asker: walk.numbers[ObjectIdentifier(asker)] ?? 0)
  }

  private mutating func inspect() -> InspectedTree {
    var keys: [KeyUse] = []
    var places: [ObjectIdentifier: Int] = [:]
    func use(_ key: any ContextKey.Type) -> Int {
      if let place = places[ObjectIdentifier(key)] { return place }
      places[ObjectIdentifier(key)] = keys.count
      keys.append(KeyUse(key: key))
      return keys.count - 1
    }
    tree.responders.parents = walk.parents
    for (number, responder) in walk.responders.enumerated() {
      visits.count += 1
      append(responder)
      responder.forEachSlot { key, _ in keys[use(key)].owners.append(number) }
      for key in responder.waitingKeys { keys[use(key)].waiting.append(number) }
    }
    tree.keys = keys.sorted { "\($0.key)" < "\($1.key)" }.map { inspect($0, $0.key) }
    (tree.texts, tree.answers) = (texts.elements, answers.elements)
    tree.contexts = contexts.contexts
    return tree
  }

  private mutating func append(_ responder: Responder) {
    let role: ShownRole =
      switch responder.parentRole {
      case _ where responder === walk.top: .top
      case .presented: .presented
      case .rootView: .view
      case .child: responder is ViewResponder ? .view : .child
      }
    tree.responders.roles.append(role.rawValue)
    tree.responders.types.append(texts.number(of: String(describing: type(of: responder))))
    tree.responders.names.append(responder.shownName.map { texts.number(of: $0) } ?? -1)
  }

  private mutating func inspect<K: ContextKey>(_ use: KeyUse, _ type: K.Type) -> InspectedKey {
    var key = InspectedKey(
      name: String(describing: use.key), isOfHandlers: isOfHandlers(use.key), owners: use.owners,
      waiting: use.waiting)
    var map = SlotMap(type, walk, owners: use.owners)
    for (slot, place) in map.places.enumerated() {
      let owner = walk.responders[place.owner]
      key.kinds.append(texts.number(of: place.kind.description))
      key.origins.append(place.origin.map { texts.number(of: $0.description) } ?? -1)
      key.regions.append(answer(at: place.owner, in: &map))
      if let context = owner.ownObject(use.key) as? any BranchingContext {
        key.contexts += [slot, contexts.number(of: context)]
      }
      if owner.isDrifting(use.key) { key.drifting.append(slot) }
    }
    addExceptions(to: &key, &map)
    visits.count += map.visits
    return key
  }

  /// Adds the answers of the responders that may have one of their own: one for each class of them.
  ///
  /// If the answer of a region is a value, it is that of all its responders. Otherwise its near
  /// misses depend on the slots below the responder that asks. These are the same for two of the
  /// region's responders if the first and the last one are.
  private mutating func addExceptions<K>(to key: inout InspectedKey, _ map: inout SlotMap<K>) {
    let owners = key.owners
    let hasValue = map.places.map { map.kindOfWinner($0) == .value }
    var classes: Set<[Int]> = []
    for number in walk.responders.indices {
      visits.count += 1
      let slot = map.nearest[number]
      if slot >= 0, hasValue[slot] { continue }
      let (first, end) = (map.counts[number], map.counts[walk.ends[number]])
      // The owner of the slot is told what it can do itself, and so is the top.
      let isNamed = number == 0 || slot >= 0 && owners[slot] == number
      let name = [slot, isNamed ? 1 : 0] + (first < end ? [first, end - 1] : [-1, -1])
      guard classes.insert(name).inserted else { continue }
      let answer = answer(at: number, in: &map)
      if slot < 0, key.missing < 0 { key.missing = answer }
      if answer != (slot < 0 ? key.missing : key.regions[slot]) {
        key.exceptions.append(name + [answer])
      }
    }
  }

  /// Returns the number of the answer of a responder. Its texts have marks in the place of the
  /// responders of the tree.
  private mutating func answer<K>(at asker: Int, in map: inout SlotMap<K>) -> Int {
    let answer = map.answer(
      at: asker,
      label: { [numbers = walk.numbers, visits] responder in
        visits.count += 1
        return numbers[ObjectIdentifier(responder)].map(ResponderMark.label)
          ?? responder.debugLabel
      },
      path: { [numbers = walk.numbers, visits] responder in
        visits.count += 1
        return numbers[ObjectIdentifier(responder)].map(ResponderMark.path) ?? responder.path
      })
    let names = [
      (answer.winner.map { ResponderMark.label(map.places[$0].owner) }, ResponderMark.winner),
      (map.owner(nearest: asker).map(ResponderMark.label), ResponderMark.owner),
      (ResponderMark.label(asker), ResponderMark.asker),
    ]
    func number(_ text: String) -> Int {
      var text = text
      for case (let mark?, let name) in names {
        text = text.replacingOccurrences(of: mark, with: ResponderMark.label(name))
      }
      return texts.number(of: text)
    }
    return answers.number(
      of: RegionAnswer(
        outcome: number(answer.words.outcome), winner: answer.winner.map { _ in answer.distance },
        isWall: answer.isWall,
        nearMisses: answer.words.nearMisses.map {
          [number($0.path), number($0.place), number($0.slot.description)]
        },
        notes: answer.words.notes.map(number), advice: answer.words.advice.map(number)))
  }
}

/// A key with the responders that have slots for it, and those at which tasks wait for it.
private struct KeyUse {
  let key: any ContextKey.Type
  var owners: [Int] = []
  var waiting: [Int] = []
}

/// A list of different elements, which are numbered in the order of their first use.
struct NumberedList<Element: Hashable> {
  private(set) var elements: [Element] = []
  private var numbers: [Element: Int] = [:]

  /// Returns the number of an element. Appends the element if it is a new one.
  mutating func number(of element: Element) -> Int {
    if let number = numbers[element] { return number }
    numbers[element] = elements.count
    elements.append(element)
    return elements.count - 1
  }
}

/// A count of the responders and slots that an inspection has visited.
private final class InspectionVisits {
  var count = 0
}
