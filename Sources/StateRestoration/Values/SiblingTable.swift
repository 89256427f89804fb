import ResponderChain

/// A table of the responders directly below one parent, in which they can be looked up by
/// identifier and ordinal. The ordinal is the number of earlier siblings with the same identifier.
///
/// The table does not retain the responders. So it must be dropped when one of them is linked,
/// unlinked, moved or renamed.
struct SiblingTable {
  /// The parent's mark, which identifies the parent. The unowned reference keeps the mark's memory
  /// from being used again, so no other object can be confused with the mark. A strong reference
  /// could make a cycle, because the application's mark retains the restoration.
  private unowned let memory: AnyObject
  private let parent: ObjectIdentifier
  /// The number of lookups before the table was filled. A table for only a few lookups would cost
  /// more than it saves.
  private var lookups = 0
  /// The ordinal of each sibling; empty until the table is filled.
  private var ordinals: [ObjectIdentifier: Int] = [:]
  /// The indices, among all siblings, of the siblings with each identifier. The position in an
  /// array is the ordinal.
  private var places: [String: [Int]] = [:]

  /// The greatest number of siblings for which no table is used.
  static let smallCount = 16

  init(of parent: AnyObject) {
    memory = parent
    self.parent = ObjectIdentifier(parent)
  }

  /// Returns whether this is the table of the parent with the given mark.
  func isOf(_ parent: AnyObject) -> Bool { self.parent == ObjectIdentifier(parent) }

  /// Counts a lookup in a table that is not filled yet.
  ///
  /// - Returns: whether the table is to be filled now. This is true once, at the eighth lookup.
  mutating func countLookup() -> Bool {
    lookups += 1
    return lookups == 8
  }

  /// Adds a sibling with its index among all siblings. The caller must add siblings by ascending
  /// index.
  mutating func add(_ sibling: Responder, at place: Int, _ identifier: String) {
    ordinals[ObjectIdentifier(sibling)] = places[identifier]?.count ?? 0
    places[identifier, default: []].append(place)
  }

  /// Whether the table is filled.
  var isFilled: Bool { !ordinals.isEmpty }

  /// Returns the ordinal of a sibling; nil if the sibling is not in the table.
  func ordinal(of sibling: Responder) -> Int? { ordinals[ObjectIdentifier(sibling)] }

  /// Returns the index of the sibling with an identifier and an ordinal, counted among all
  /// siblings. Returns nil if there is none.
  func place(_ identifier: String, _ ordinal: Int) -> Int? {
    guard let places = places[identifier], ordinal < places.count else { return nil }
    return places[ordinal]
  }
}
