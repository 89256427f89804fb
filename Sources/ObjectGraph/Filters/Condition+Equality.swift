extension Condition: Hashable {
  /// Whether they say the same in the same words; texts are the same if their UTF-8 is.
  package static func == (one: Condition, other: Condition) -> Bool {
    switch (one, other) {
    case (.constant(let one), .constant(let other)): one == other
    case (.compare(let a, let b, let c), .compare(let d, let e, let f)):
      a == d && b == e && c == f
    case (.compareProperties(let a, let b, let c), .compareProperties(let d, let e, let f)):
      a == d && b == e && c == f
    case (.isIn(let a, let b), .isIn(let c, let d)): a == c && b == d
    case (.text(let a, let b, let c, let d), .text(let e, let f, let g, let h)):
      a == e && b == f && c.utf8.elementsEqual(g.utf8) && d == h
    case (.any(let a, let b), .any(let c, let d)), (.all(let a, let b), .all(let c, let d)):
      a == c && b == d
    case (.count(let a, let b, let c), .count(let d, let e, let f)): a == d && b == e && c == f
    case (.and(let one), .and(let other)), (.or(let one), .or(let other)): one == other
    case (.not(let one), .not(let other)): one == other
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .constant(let value): hasher.combine(value)
    case .compare(let path, let comparison, let value):
      hasher.combine(path)
      hasher.combine(comparison)
      hasher.combine(value)
    case .compareProperties(let path, _, let other):
      hasher.combine(path)
      hasher.combine(other)
    case .isIn(let path, let values):
      hasher.combine(path)
      hasher.combine(values)
    case .text(let path, let test, let text, _):
      hasher.combine(path)
      hasher.combine(test)
      hasher.combine(text)
    case .any(let path, let condition), .all(let path, let condition):
      hasher.combine(path)
      hasher.combine(condition)
    case .count(let path, _, let count):
      hasher.combine(path)
      hasher.combine(count)
    case .and(let terms), .or(let terms): hasher.combine(terms)
    case .not(let condition): hasher.combine(condition)
    }
  }
}
