import ResponderChain

/// The places of the responders below one parent, by their identifiers.
///
/// It does not retain them, so it must be forgotten when one of them is linked, unlinked, moved or
/// renamed.
struct SiblingTable {
  /// The object that stands for the parent. Its memory is kept, so that no other object is taken
  /// for it, but not the object, which may retain the application's restoration.
  private unowned let memory: AnyObject
  private let parent: ObjectIdentifier
  /// The number of lookups without the places, which are only worth it after some.
  private var lookups = 0
  /// The number of earlier siblings with the same identifier, by sibling; empty at first.
  private var ordinals: [ObjectIdentifier: Int] = [:]
  /// The places among all siblings, by identifier and ordinal.
  private var places: [String: [Int]] = [:]

  /// The number of siblings up to which no table is used.
  static let smallCount = 16

  init(of parent: AnyObject) {
    memory = parent
    self.parent = ObjectIdentifier(parent)
  }

  /// Returns whether an object stands for the parent.
  func isOf(_ parent: AnyObject) -> Bool { self.parent == ObjectIdentifier(parent) }

  /// Counts a lookup.
  ///
  /// - Returns: whether the places are needed now.
  mutating func isWorthFilling() -> Bool {
    lookups += 1
    return lookups == 8
  }

  /// Adds a sibling.
  mutating func add(_ sibling: Responder, at place: Int, _ identifier: String) {
    ordinals[ObjectIdentifier(sibling)] = places[identifier]?.count ?? 0
    places[identifier, default: []].append(place)
  }

  /// Whether the places are known.
  var isFilled: Bool { !ordinals.isEmpty }

  /// Returns the number of earlier siblings with the same identifier.
  func ordinal(of sibling: Responder) -> Int? { ordinals[ObjectIdentifier(sibling)] }

  /// Returns the place of the sibling with an identifier and an ordinal; nil if there is none.
  func place(_ identifier: String, _ ordinal: Int) -> Int? {
    guard let places = places[identifier], ordinal < places.count else { return nil }
    return places[ordinal]
  }
}
