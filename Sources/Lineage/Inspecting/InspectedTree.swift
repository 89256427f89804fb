/// The data of an inspector's page.
///
/// All responders between two slots for a key have the same answer. So the page has an answer for
/// each slot, and not for each responder and key. Numbers stand for places in other lists:
/// responders are numbered in the order of a walk from the top, and texts in the order of their
/// first use.
struct InspectedTree: Codable {
  let application: String
  let date: String
  let strategy: String?
  /// The responder that was asked for the page.
  let asker: Int
  var responders = InspectedResponders()
  var keys: [InspectedKey] = []
  var answers: [RegionAnswer] = []
  var contexts: [InspectedContext] = []
  var texts: [String] = []
}

/// The responders, property by property.
struct InspectedResponders: Codable {
  var parents: [Int] = []
  var roles: [Int] = []
  /// The texts of the types, and of the names that programs have given. A name of -1 is none.
  var types: [Int] = []
  var names: [Int] = []
}

/// The roles of responders on a page, in the order of their numbers.
enum ShownRole: Int { case top, child, view, presented }

/// A key with all its slots, property by property.
struct InspectedKey: Codable {
  let name: String
  /// Whether the key is one of action handlers.
  let isOfHandlers: Bool
  /// The responders that have the slots.
  var owners: [Int] = []
  /// The texts of the slots' kinds, and of their origins. An origin of -1 is unknown.
  var kinds: [Int] = []
  var origins: [Int] = []
  /// The answer at each slot, and at the responders up to the next slots below.
  var regions: [Int] = []
  /// The answer at responders without a slot above; -1 if there are none.
  var missing = -1
  /// The answers that differ from that of their region: the place of the region's slot, or -1;
  /// 1 if the responder is the slot's owner or the top, else 0; the places of the first and last slot below
  /// the responder, or -1; and the answer.
  var exceptions: [[Int]] = []
  /// The contexts in the slots. Each slot is followed by its context.
  var contexts: [Int] = []
  /// The slots of branches that drift.
  var drifting: [Int] = []
  /// The responders at which tasks wait.
  var waiting: [Int] = []
}

/// An answer of `explain`. Its texts name responders by marks; see ``ResponderMark``.
struct RegionAnswer: Codable, Hashable {
  let outcome: Int
  /// The number of slots from that of the region up to the winner; nil if there is no winner.
  let winner: Int?
  /// Whether the slots above the winner are beyond a block, and not shadowed.
  let isWall: Bool
  /// The path, place and kind of each near miss.
  let nearMisses: [[Int]]
  let notes: [Int]
  let advice: [Int]
}

/// A context that can have children, with its unsaved changes. Parents come before children.
struct InspectedContext: Codable {
  let parent: Int?
  let name: String
  /// A store's file, or `draft`.
  let store: String?
  let isUnsaved: Bool
  /// The first changes, and the number of all that may be shown.
  let changes: [InspectedChange]
  let count: Int
}

/// The unsaved change of an object: its name, the sort of the change, and for each property its
/// name, old value and new value.
struct InspectedChange: Codable {
  let object: String
  let sort: String
  let properties: [[String]]
}

/// The marks that stand for responders in the texts of answers, so that one text serves many
/// responders. The page puts labels and paths in their place.
enum ResponderMark {
  static func label(_ name: some CustomStringConvertible) -> String { "\u{E000}\(name)\u{E001}" }
  static func path(_ name: some CustomStringConvertible) -> String { "\u{E000}/\(name)\u{E001}" }

  /// The names of the responder that asked, of the winner, and of the owner of the region's slot.
  static let asker = "a"
  static let winner = "w"
  static let owner = "o"
}
