import ResponderChain

/// The places of the responders directly below one parent, found by identifier and ordinal. The
/// ordinal is the number of earlier siblings with the same identifier.
///
/// The table does not retain the responders. So it must be dropped when one of them is linked,
/// unlinked, moved or renamed.
struct SiblingTable {
  /// The object that stands for the parent: its mark. An unowned reference keeps the memory of a
  /// dead object from being used again, so no other object can be taken for this one. It does not
  /// keep the object alive, because that may retain the application's restoration.
  private unowned let memory: AnyObject
  private let parent: ObjectIdentifier
  /// The number of lookups before the table was filled. Filling it for only a few lookups costs
  /// more than it saves.
  private var lookups = 0
  /// The ordinals, by sibling; empty until the table is filled.
  private var ordinals: [ObjectIdentifier: Int] = [:]
  /// The places among all siblings, by identifier. The index in an array is the ordinal.
  private var places: [String: [Int]] = [:]

  /// The number of siblings up to which no table is used.
  static let smallCount = 16

  init(of parent: AnyObject) {
    memory = parent
    self.parent = ObjectIdentifier(parent)
  }

  /// Returns whether an object stands for the parent.
  func isOf(_ parent: AnyObject) -> Bool { self.parent == ObjectIdentifier(parent) }

  /// Counts a lookup in a table that is not filled.
  ///
  /// - Returns: whether the table is to be filled now. That is true once, at the eighth lookup.
  mutating func isWorthFilling() -> Bool {
    lookups += 1
    return lookups == 8
  }

  /// Adds a sibling. Siblings must be added in their order.
  mutating func add(_ sibling: Responder, at place: Int, _ identifier: String) {
    ordinals[ObjectIdentifier(sibling)] = places[identifier]?.count ?? 0
    places[identifier, default: []].append(place)
  }

  /// Whether the table is filled.
  var isFilled: Bool { !ordinals.isEmpty }

  /// Returns the ordinal of a sibling; nil if the table does not have it.
  func ordinal(of sibling: Responder) -> Int? { ordinals[ObjectIdentifier(sibling)] }

  /// Returns the place of the sibling with an identifier and an ordinal; nil if there is none.
  func place(_ identifier: String, _ ordinal: Int) -> Int? {
    guard let places = places[identifier], ordinal < places.count else { return nil }
    return places[ordinal]
  }
}
