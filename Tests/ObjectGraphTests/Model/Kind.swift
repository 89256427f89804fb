/// A row in plain numbers, property by property in the schema's order.
///
/// A text is its place in the alphabet; a reference is 0 for none, or an object's number plus one.
typealias Row = [Int]

/// The entities of random programs.
enum Kind: Int, CaseIterable {
  case card, deck, shelf, learner

  /// Returns a new object's row of the kind, with the name.
  func row(named text: Int, number: Int) -> Row {
    switch self {
    case .card: [text, number, 0, 0]
    case .deck: [text, 0]
    case .shelf: [text]
    case .learner: [text, 0]
    }
  }

  var properties: [String] {
    switch self {
    case .card: ["question", "rightCount", "deck", "next"]
    case .deck: ["name", "shelf"]
    case .shelf: ["name"]
    case .learner: ["name", "favourite"]
    }
  }
}

/// A to-one property of random programs, and what its other side does when its owner goes.
struct Relation: Equatable {
  enum Rule { case nullify, cascade, deny }

  let from: Kind
  let field: Int
  let to: Kind
  let rule: Rule
  /// The to-many property.
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

/// The texts of random programs, in the order of their numbers.
enum Alphabet {
  static func text(_ number: Int) -> String { String(UnicodeScalar(UInt8(97 + number))) }
  static func number(_ text: String) -> Int { Int(text.utf8.first ?? 97) - 97 }
}
