import LineageTestSupport
import ObjectGraph

/// The values of a row as numbers, in the order of the schema's properties.
///
/// A text is its index in ``Alphabet``. A reference is the object's number plus one, or 0 for nil.
typealias Row = [Int]

/// The entities of random programs.
enum Kind: Int, CaseIterable {
  case card, deck, shelf, learner, tally, slip

  /// Returns the row of a new object of this kind. Only a card uses `number`.
  func row(named text: Int, number: Int) -> Row {
    switch self {
    case .card: [text, number, 0, 0]
    case .deck: [text, 0]
    case .shelf: [text]
    case .learner: [text, 0]
    case .tally: [text, 0]
    case .slip: [0, 0, 0]
    }
  }

  /// The field that a save into the store increments; nil if there is none.
  var counter: Int? { self == .tally ? 1 : nil }

  /// Returns whether an edit of a property can be in conflict.
  func isContestable(_ field: Int) -> Bool { self != .learner && self != .slip || field != 0 }

  var properties: [String] {
    switch self {
    case .card: ["question", "rightCount", "deck", "next"]
    case .deck: ["name", "shelf"]
    case .shelf: ["name"]
    case .learner: ["name", "favourite"]
    case .tally: ["name", "saves"]
    case .slip: ["position", "tally", "card"]
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
  /// The name of the to-many property of the other entity; empty if it has none.
  let inverse: String

  static let all = [
    Relation(from: .card, field: 2, to: .deck, rule: .cascade, inverse: "cards"),
    Relation(from: .card, field: 3, to: .card, rule: .nullify, inverse: "previous"),
    Relation(from: .deck, field: 1, to: .shelf, rule: .deny, inverse: "decks"),
    Relation(from: .learner, field: 1, to: .card, rule: .nullify, inverse: "fans"),
    Relation(from: .slip, field: 1, to: .tally, rule: .cascade, inverse: "slips"),
    Relation(from: .slip, field: 2, to: .card, rule: .cascade, inverse: ""),
  ]

  static func of(_ kind: Kind, _ field: Int) -> Relation? {
    all.first { $0.from == kind && $0.field == field }
  }
}

/// The texts of random programs, ordered by their UTF-8. The number of a text is its index.
enum Alphabet {
  private static let texts = [
    "10", "2", "A", "a", "a0010", "a02", "a1", "a10", "a9", "b", "e", "e\u{301}", "ss", "z", "É",
    "ß", "é", "ø", "ё", "ﬁ",
  ]
  private static let numbers = Dictionary(
    uniqueKeysWithValues: texts.enumerated().map { (StoredValue.text($1), $0) })

  static func text(_ number: Int) -> String { texts[number] }
  static func number(_ text: String) -> Int { numbers[.text(text)] ?? 0 }

  /// Returns the number of texts that come before a text in an order of texts.
  static func rank(_ number: Int, in order: TextOrder) -> Int {
    texts.count { TextOracle.order($0, texts[number], in: order) < 0 }
  }
}
