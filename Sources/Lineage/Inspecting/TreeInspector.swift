import Foundation
import ResponderChain

/// The gathering of the data of an inspector's page.
struct TreeInspector {
  private let responders: [Responder]
  /// The number of each responder, and of the last responder below it.
  private let numbers: [ObjectIdentifier: Int]
  private let ends: [Int]
  private var tree: InspectedTree
  private var texts = NumberedList<String>()
  private var answers = NumberedList<RegionAnswer>()
  private var contexts = ContextInspector()

  /// Gathers the data of the whole tree of a responder.
  static func inspect(_ asker: Responder, at date: Date) -> InspectedTree {
    var inspector = TreeInspector(asker, date)
    return inspector.inspect()
  }

  private init(_ asker: Responder, _ date: Date) {
    let top = asker.chain.reduce(asker) { $1 }
    responders = [top] + top.descendants
    var numbers: [ObjectIdentifier: Int] = [:]
    for (number, responder) in responders.enumerated() {
      numbers[ObjectIdentifier(responder)] = number
    }
    self.numbers = numbers
    var ends = Array(responders.indices)
    for number in responders.indices.dropFirst().reversed() {
      guard let parent = responders[number].nextResponder,
        let above = numbers[ObjectIdentifier(parent)]
      else { continue }
      ends[above] = max(ends[above], ends[number])
    }
    self.ends = ends
    tree = InspectedTree(
      application: top.debugLabel, date: date.ISO8601Format(),
      strategy: (top as? Application)?.strategy.rawValue,
      asker: numbers[ObjectIdentifier(asker)] ?? 0)
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
    for (number, responder) in responders.enumerated() {
      append(responder)
      responder.forEachSlot { key, _ in keys[use(key)].owners.append(number) }
      for key in responder.waitingKeys { keys[use(key)].waiting.append(number) }
    }
    tree.keys = keys.sorted { "\($0.key)" < "\($1.key)" }.map { inspect($0) }
    (tree.texts, tree.answers) = (texts.elements, answers.elements)
    tree.contexts = contexts.contexts
    return tree
  }

  private mutating func append(_ responder: Responder) {
    let parent = responder.nextResponder.flatMap { numbers[ObjectIdentifier($0)] }
    let role: ShownRole =
      switch responder.parentRole {
      case _ where parent == nil: .top
      case .presented: .presented
      case .rootView: .view
      case .child: responder is ViewResponder ? .view : .child
      }
    tree.responders.parents.append(parent ?? -1)
    tree.responders.roles.append(role.rawValue)
    tree.responders.types.append(texts.number(of: String(describing: type(of: responder))))
    tree.responders.names.append(responder.shownName.map { texts.number(of: $0) } ?? -1)
  }

  private mutating func inspect(_ use: KeyUse) -> InspectedKey {
    var key = InspectedKey(
      name: String(describing: use.key), isOfHandlers: isOfHandlers(use.key), owners: use.owners,
      waiting: use.waiting)
    var hasValue: [Bool] = []
    for (slot, number) in use.owners.enumerated() {
      let owner = responders[number]
      let explanation = explain(use.key, owner)
      hasValue.append(explanation.winner?.slot == .value)
      key.kinds.append(explanation.hops[0].slot.map { texts.number(of: $0.description) } ?? -1)
      key.origins.append(explanation.hops[0].origin.map { texts.number(of: $0.description) } ?? -1)
      key.regions.append(answer(explanation, at: number, in: number))
      if let context = owner.ownObject(use.key) as? any BranchingContext {
        key.contexts += [slot, contexts.number(of: context)]
      }
      if owner.isDrifting(use.key) { key.drifting.append(slot) }
    }
    addExceptions(to: &key, use.key, hasValue)
    return key
  }

  /// Asks `explain` once for each class of responders that may have an answer of their own.
  ///
  /// If the answer of a region is a value, it is that of all its responders. Otherwise its near
  /// misses depend on the slots below the responder that asks. These are the same for two of the
  /// region's responders if the first and the last one are.
  private mutating func addExceptions(
    to key: inout InspectedKey, _ type: any ContextKey.Type, _ hasValue: [Bool]
  ) {
    let owners = key.owners
    // The number of slots at responders up to each one, and the place of the nearest slot.
    var (counts, nearest): ([Int], [Int]) = ([], [])
    for (number, parent) in tree.responders.parents.enumerated() {
      let count = counts.last ?? 0
      let isOwner = count < owners.count && owners[count] == number
      counts.append(isOwner ? count + 1 : count)
      nearest.append(isOwner ? count : parent < 0 ? -1 : nearest[parent])
    }
    var classes: Set<[Int]> = []
    for number in responders.indices {
      let slot = nearest[number]
      if slot >= 0, hasValue[slot] { continue }
      let (first, end) = (counts[number], counts[ends[number]])
      // The owner of the slot is told what it can do itself, and so is the top.
      let isNamed = number == 0 || slot >= 0 && owners[slot] == number
      let name = [slot, isNamed ? 1 : 0] + (first < end ? [first, end - 1] : [-1, -1])
      guard classes.insert(name).inserted else { continue }
      let answer = answer(
        explain(type, responders[number]), at: number, in: slot < 0 ? nil : owners[slot])
      if slot < 0, key.missing < 0 { key.missing = answer }
      if answer != (slot < 0 ? key.missing : key.regions[slot]) {
        key.exceptions.append(name + [answer])
      }
    }
  }

  /// Explains a lookup, with a mark in the place of each responder of the tree.
  private func explain(_ key: any ContextKey.Type, _ asker: Responder) -> Explanation {
    asker.explain(
      key,
      label: { [numbers] responder in
        numbers[ObjectIdentifier(responder)].map(ResponderMark.label) ?? responder.debugLabel
      },
      path: { [numbers] responder in
        numbers[ObjectIdentifier(responder)].map(ResponderMark.path) ?? responder.path
      })
  }

  /// Returns the number of an answer, for the region of an owner's slot.
  private mutating func answer(
    _ explanation: Explanation, at asker: Int, in owner: Int?
  ) -> Int {
    let names = [
      (explanation.winner?.responder, ResponderMark.winner),
      (owner.map(ResponderMark.label), ResponderMark.owner),
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
        outcome: number(explanation.outcome),
        winner: explanation.winner.map { _ in explanation.hops.count { $0.slot != nil } - 1 },
        isWall: !explanation.beyond.isEmpty,
        nearMisses: explanation.nearMisses.map {
          [number($0.path), number($0.place), number($0.slot.description)]
        },
        notes: explanation.notes.map(number), advice: explanation.advice.map(number)))
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
