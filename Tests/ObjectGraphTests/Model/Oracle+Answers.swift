import ObjectGraph

extension Oracle {
  /// Returns the numbers of the objects that a fetch finds, in the fetch's order.
  func answer(_ question: Question, _ context: Int) -> [Int] {
    func follow(_ number: Int, _ field: Int) -> Int? {
      guard let row = view(number, context), row[field] > 0 else { return nil }
      return view(row[field] - 1, context) == nil ? nil : row[field] - 1
    }
    func right(_ number: Int) -> Int { view(number, context)?[1] ?? 0 }
    func name(_ number: Int) -> Int? { view(number, context)?[0] }
    func fans(_ number: Int) -> [Int] { members(of: number, Relation.all[3], context) }
    func cards(_ number: Int) -> [Int] { members(of: number, Relation.all[0], context) }
    let argument = question.argument
    let text = argument % 20
    let found = all(question.test.kind, context).filter { number in
      guard let row = view(number, context) else { return false }
      return switch question.test {
      case .all: true
      case .rightCountBelow: row[1] < argument
      case .question: row[0] == text
      case .deck: row[2] == argument + 1
      case .noDeck: row[2] == 0
      case .deckName: follow(number, 2).flatMap(name) == text
      case .nextRight: follow(number, 3).map { right($0) >= argument } ?? false
      case .anyFan: !fans(number).isEmpty
      case .fanName: fans(number).contains { name($0) == text }
      case .shelf: follow(number, 2).flatMap { follow($0, 1) }.flatMap(name) == text
      case .emptyDeck: cards(number).isEmpty
      case .deckCount: cards(number).count > argument
      case .deckAny: cards(number).contains { right($0) > argument }
      case .deckAll: cards(number).allSatisfy { right($0) > argument }
      case .noShelf: row[1] == 0
      }
    }
    /// Returns the sort key of an object, in which nil comes first.
    func key(_ number: Int) -> [Int] {
      guard let row = view(number, context) else { return [] }
      guard question.test.kind == .card else {
        return switch question.order {
        case .none: []
        case .folded: [Alphabet.rank(row[0], in: .folded)]
        case .natural: [-Alphabet.rank(row[0], in: .natural)]
        case .rightCount, .deckName, .question: [-row[0]]
        }
      }
      return switch question.order {
      case .none: []
      case .rightCount: [-row[1], row[0]]
      case .deckName: [follow(number, 2).flatMap(name) ?? -1, row[1]]
      case .question: [-row[0]]
      case .folded:
        [follow(number, 2).flatMap(name).map { Alphabet.rank($0, in: .folded) } ?? -1, row[0]]
      case .natural: [-Alphabet.rank(row[0], in: .natural), row[0]]
      }
    }
    let sorted = found.sorted { (key($0) + [$0]).lexicographicallyPrecedes(key($1) + [$1]) }
    let rest = sorted.dropFirst(question.offset)
    return Array(question.limit.map { rest.prefix($0) } ?? rest)
  }
}
