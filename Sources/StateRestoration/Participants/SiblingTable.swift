import ResponderChain

/// The places of siblings, which paths of responders need. So many references to the children of one
/// responder do not search its children each time.
///
/// A responder's entry is forgotten when a child comes, goes, moves or gets another identifier.
final class SiblingTable {
  /// The number of responders below another one from which on they are not searched each time.
  private static let least = 16

  /// The place of a responder at its parent.
  private enum SiblingPlace {
    case child(Int)
    case rootView
    case presented
  }

  private struct Siblings {
    weak let parent: Responder?
    var places: [String: [SiblingPlace]] = [:]
    /// The numbers of earlier siblings with the same identifier, if there are any.
    var ordinals: [ObjectIdentifier: Int] = [:]
  }

  private var known: [ObjectIdentifier: Siblings] = [:]

  /// Forgets the children of a responder, because they are others or in another order now.
  func forget(_ parent: Responder) {
    if !known.isEmpty { known[ObjectIdentifier(parent)] = nil }
  }

  /// Returns the number of earlier siblings with the same identifier.
  ///
  /// - Complexity: O(1), and O(*n*) at the first use for *n* siblings.
  func ordinal(of responder: Responder, _ identifier: String, below parent: Responder) -> Int {
    if parent.ownedCount >= Self.least {
      return siblings(of: parent).ordinals[ObjectIdentifier(responder)] ?? 0
    }
    var count = 0
    var isBefore = true
    parent.forEachOwned { sibling, _ in
      if sibling === responder { isBefore = false }
      if isBefore, sibling.mark?.identifier == identifier { count += 1 }
    }
    return count
  }

  /// Returns the responder with an identifier and a number of earlier siblings with the same
  /// identifier; nil if there is none.
  ///
  /// - Complexity: O(1), and O(*n*) at the first use for *n* siblings.
  func find(_ identifier: String, _ ordinal: Int, below parent: Responder) -> Responder? {
    if parent.ownedCount >= Self.least {
      guard let places = siblings(of: parent).places[identifier], places.indices.contains(ordinal)
      else { return nil }
      switch places[ordinal] {
      case .child(let index): return parent.children[index]
      case .rootView: return (parent as? Controller)?.rootView
      case .presented: return (parent as? Controller)?.presented
      }
    }
    var rest = ordinal
    var found: Responder?
    parent.forEachOwned { child, _ in
      guard found == nil, child.mark?.identifier == identifier else { return }
      if rest == 0 { found = child }
      rest -= 1
    }
    return found
  }

  private func siblings(of parent: Responder) -> Siblings {
    if let found = known[ObjectIdentifier(parent)], found.parent === parent { return found }
    var siblings = Siblings(parent: parent)
    var index = 0
    parent.forEachOwned { child, role in
      let place: SiblingPlace
      switch role {
      case .child:
        place = .child(index)
        index += 1
      case .rootView: place = .rootView
      case .presented: place = .presented
      }
      guard let identifier = child.mark?.identifier else { return }
      let earlier = siblings.places[identifier, default: []].count
      if earlier > 0 { siblings.ordinals[ObjectIdentifier(child)] = earlier }
      siblings.places[identifier, default: []].append(place)
    }
    // Without a keeper, the responder's mark does not tell of its changes.
    if parent.mark?.keeper?.siblings === self { known[ObjectIdentifier(parent)] = siblings }
    return siblings
  }
}
