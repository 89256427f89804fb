/// The values of a row as numbers, in the order of the schema's properties.
///
/// A text is its index in ``Alphabet``. A reference is the object's number plus one, or 0 for nil.
typealias Row = [Int]

/// The entities of random programs.
enum Kind: Int, CaseIterable {
  case card, deck, shelf, learner

  /// Returns the row of a new object of this kind. Only a card uses `number`.
  func row(named text: Int, number: Int) -> Row {
    switch self {
    case .card: [text, number, 0, 0]
    case .deck: [text, 0]
    case .shelf: [text]
    case .learner: [text, 0]
    }
  }

  /// Returns whether an edit of a property can be in conflict.
  func isContestable(_ field: Int) -> Bool { self != .learner || field != 0 }

  var properties: [String] {
    switch self {
    case .card: ["question", "rightCount", "deck", "next"]
    case .deck: ["name", "shelf"]
    case .shelf: ["name"]
    case .learner: ["name", "favourite"]
    }
  }
}

/// A to-one property of random programs. The rule applies when the object to which the property
/// refers is deleted.
struct Relation: Equatable {
  enum Rule { case nullify, cascade, deny }

  let from: Kind
  let field: Int
  let to: Kind
  let rule: Rule
  /// The name of the to-many property of the other entity.
  let inverse: String

  static let all = [
    Relation(from: .card, field: 2, to: .deck, rule: .cascade, inverse: "cards"),
    Relation(from: .card, field: 3, to: .card, rule: .nullify, inverse: "previous"),
    Relation(from: .deck, field: 1, to: .shelf, rule: .deny, inverse: "decks"),
    Relation(from: .learner, field: 1, to: .card, rule: .nullify, inverse: "fans"),
  ]

  static func of(_ kind: Kind, _ field: Int) -> Relation? {
    all.first { $0.from == kind && $0.field == field }
  }
}

/// The texts of random programs. Each text is a letter, and its number is the letter's place in the
/// alphabet.
enum Alphabet {
  static func text(_ number: Int) -> String { String(UnicodeScalar(UInt8(97 + number))) }
  static func number(_ text: String) -> Int { Int(text.utf8.first ?? 97) - 97 }
}
