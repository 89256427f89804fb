import ResponderChain

extension Responder {
  /// Returns the ordinal of a responder directly below this one: the number of earlier siblings
  /// with the same identifier.
  final func ordinal(of child: Responder, _ contexts: ContextTable?) -> Int {
    if let ordinal = siblings(contexts)?.ordinal(of: child) { return ordinal }
    var count = 0
    var isBefore = true
    forEachOwned { sibling, _ in
      if sibling === child { isBefore = false }
      if isBefore, sibling.mark?.identifier == child.mark?.identifier { count += 1 }
    }
    contexts?.pathSteps += ownedCount
    return count
  }

  /// Returns the responder directly below this one with the given identifier and ordinal; nil if
  /// there is none.
  final func owned(_ identifier: String, _ ordinal: Int, _ contexts: ContextTable?) -> Responder? {
    if let siblings = siblings(contexts) {
      return siblings.place(identifier, ordinal).map { owned(at: $0) }
    }
    var rest = ordinal
    var found: Responder?
    forEachOwned { child, _ in
      guard found == nil, child.mark?.identifier == identifier else { return }
      if rest == 0 { found = child }
      rest -= 1
    }
    contexts?.pathSteps += ownedCount
    return found
  }

  /// Returns the table of the responders directly below this one. Returns nil if there are few such
  /// responders, or if there were few lookups so far.
  private final func siblings(_ contexts: ContextTable?) -> SiblingTable? {
    // There is no table without a record keeper. The keeper forgets the table when the responders
    // below change.
    guard ownedCount > SiblingTable.smallCount, let contexts, let mark, let keeper = mark.keeper,
      keeper.contexts === contexts
    else { return nil }
    contexts.pathSteps += 1
    let id = ObjectIdentifier(self)
    if let table = contexts.siblings[id], table.isOf(mark), table.isFilled { return table }
    if contexts.siblings[id]?.isOf(mark) != true {
      contexts.siblings[id] = SiblingTable(of: mark)
    }
    guard contexts.siblings[id]?.countLookup() == true else { return nil }
    var table = SiblingTable(of: mark)
    var place = 0
    forEachOwned { child, _ in
      if let identifier = child.mark?.identifier { table.add(child, at: place, identifier) }
      place += 1
    }
    contexts.pathSteps += place
    guard table.isFilled else { return nil }
    contexts.siblings[id] = table
    return table
  }
}
