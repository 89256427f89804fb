// The encoded form is readable for people. Archives contain it, so it must not change:
//
//     {"property": "deck.name", "is": "equal", "value": {"text": "Sums"}}
//
// A condition with many levels is written as a list of steps instead, because coders recurse and
// refuse data with too many levels. A step is a test, or an operator that combines results of
// earlier steps into one result:
//
//     {"steps": [{"property": …}, {"not": 1}, {"property": …}, {"and": 2}, {"any": "friends"}]}

extension Condition: Codable {
  fileprivate enum CodingKeys: String, CodingKey {
    case constant, property, comparison = "is", value, other, list = "in", text, options
    case any, all, count, condition = "where", and, or, not, steps
  }

  fileprivate typealias Input = KeyedDecodingContainer<CodingKeys>
  fileprivate typealias Output = KeyedEncodingContainer<CodingKeys>

  /// The greatest number of levels of a condition that is written as a tree.
  private static let treeLevels = 32

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if container.contains(.steps) {
      self = try Self.steps(in: container)
    } else {
      self = try Self.tree(in: container)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    if let limit = exceeded {
      throw GraphError("encode a request", .tooLarge(limit.message))
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    if levels <= Self.treeLevels {
      try writeTree(to: &container)
    } else {
      var steps = container.nestedUnkeyedContainer(forKey: .steps)
      try walk { visit in
        switch visit {
        case .leaf(let leaf):
          var step = steps.nestedContainer(keyedBy: CodingKeys.self)
          try leaf.write(to: &step)
        case .exit(let word, let count):
          var step = steps.nestedContainer(keyedBy: CodingKeys.self)
          switch word {
          case .and: try step.encode(count, forKey: .and)
          case .or: try step.encode(count, forKey: .or)
          case .not: try step.encode(count, forKey: .not)
          case .any(let path): try step.encode(path, forKey: .any)
          case .all(let path): try step.encode(path, forKey: .all)
          }
        case .enter, .between: break
        }
      }
    }
  }

  // MARK: Steps

  private static func steps(in container: Input) throws -> Condition {
    var list = try container.nestedUnkeyedContainer(forKey: .steps)
    var results: [Condition] = []
    var terms = 0
    func take(_ count: Int) throws -> [Condition] {
      guard count >= 0, count <= results.count else {
        throw list.fault("a step takes more results than there are")
      }
      defer { results.removeLast(count) }
      return Array(results.suffix(count))
    }
    func join(_ condition: Condition) throws {
      if let limit = condition.exceeded { throw list.fault(limit) }
      results.append(condition)
    }
    while !list.isAtEnd {
      let step = try list.nestedContainer(keyedBy: CodingKeys.self)
      if step.contains(.and) {
        try join(.and(try take(try step.decode(Int.self, forKey: .and))))
      } else if step.contains(.or) {
        try join(.or(try take(try step.decode(Int.self, forKey: .or))))
      } else if step.contains(.not) {
        guard try step.decode(Int.self, forKey: .not) == 1 else {
          throw list.fault("a not takes one result")
        }
        for part in try take(1) { try join(.not(part)) }
      } else if step.contains(.any) {
        let path = try step.decode(ToManyPath.self, forKey: .any)
        for part in try take(1) { try join(.any(path, part)) }
      } else if step.contains(.all) {
        let path = try step.decode(ToManyPath.self, forKey: .all)
        for part in try take(1) { try join(.all(path, part)) }
      } else {
        terms += 1
        guard terms <= RequestLimit.terms.most else { throw list.fault(RequestLimit.terms) }
        results.append(try leaf(in: step))
      }
    }
    guard results.count == 1, let result = results.first else {
      throw list.fault("steps must leave one result")
    }
    return result
  }

  // MARK: Tree

  /// An operator whose parts are being read, with the parts that have been read so far.
  private struct Outer {
    let word: Word
    var rest: (any UnkeyedDecodingContainer)?
    var parts: [Condition] = []

    var result: Condition {
      switch word {
      case .and: .and(parts)
      case .or: .or(parts)
      case .not: .not(parts[0])
      case .any(let path): .any(path, parts[0])
      case .all(let path): .all(path, parts[0])
      }
    }
  }

  /// Decodes a condition in a loop, so that many levels do not overflow the stack.
  private static func tree(in container: Input) throws -> Condition {
    var outer: [Outer] = []
    var next: Input? = container
    var terms = 0
    while true {
      var result: Condition?
      if let container = next {
        next = nil
        func enter(_ word: Word, _ key: CodingKeys) throws {
          guard outer.count < RequestLimit.levels.most else {
            throw container.fault(RequestLimit.levels)
          }
          outer.append(Outer(word: word))
          next = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: key)
        }
        if container.contains(.and) || container.contains(.or) {
          guard outer.count < RequestLimit.levels.most else {
            throw container.fault(RequestLimit.levels)
          }
          let key = container.contains(.and) ? CodingKeys.and : .or
          outer.append(
            Outer(
              word: key == .and ? .and : .or,
              rest: try container.nestedUnkeyedContainer(forKey: key)))
        } else if container.contains(.not) {
          try enter(.not, .not)
        } else if container.contains(.any) {
          try enter(.any(try container.decode(ToManyPath.self, forKey: .any)), .condition)
        } else if container.contains(.all) {
          try enter(.all(try container.decode(ToManyPath.self, forKey: .all)), .condition)
        } else {
          terms += 1
          guard terms <= RequestLimit.terms.most else {
            throw container.fault(RequestLimit.terms)
          }
          result = try leaf(in: container)
        }
      }
      if next != nil { continue }
      // The result is a part of the enclosing operator, which may then be complete.
      while var last = outer.popLast() {
        if let part = result { last.parts.append(part) }
        result = nil
        if var rest = last.rest, !rest.isAtEnd {
          next = try rest.nestedContainer(keyedBy: CodingKeys.self)
          last.rest = rest
          outer.append(last)
          break
        }
        let joined = last.result
        if let limit = joined.exceeded { throw container.fault(limit) }
        result = joined
      }
      if let result, outer.isEmpty, next == nil { return result }
    }
  }

  /// Encodes a condition by recursion. This is safe because the condition has few levels.
  private func writeTree(to container: inout Output) throws {
    switch form {
    case .leaf(let leaf): try leaf.write(to: &container)
    case .and(let terms): try Self.write(terms, to: container.nestedUnkeyedContainer(forKey: .and))
    case .or(let terms): try Self.write(terms, to: container.nestedUnkeyedContainer(forKey: .or))
    case .not(let inner): try Self.write(inner, to: &container, .not)
    case .any(let path, let inner):
      try container.encode(path, forKey: .any)
      try Self.write(inner, to: &container, .condition)
    case .all(let path, let inner):
      try container.encode(path, forKey: .all)
      try Self.write(inner, to: &container, .condition)
    }
  }

  private static func write(
    _ inner: Condition, to container: inout Output, _ key: CodingKeys
  ) throws {
    var nested = container.nestedContainer(keyedBy: CodingKeys.self, forKey: key)
    try inner.writeTree(to: &nested)
  }

  private static func write(
    _ terms: [Condition], to container: any UnkeyedEncodingContainer
  ) throws {
    var list = container
    for term in terms {
      var nested = list.nestedContainer(keyedBy: CodingKeys.self)
      try term.writeTree(to: &nested)
    }
  }

  // MARK: Leaves

  private static func leaf(in container: Input) throws -> Condition {
    func decode<T: Decodable>(_ key: CodingKeys) throws -> T {
      try container.decode(T.self, forKey: key)
    }
    if container.contains(.constant) { return .constant(try decode(.constant)) }
    if container.contains(.count) {
      return .count(try decode(.count), try decode(.comparison), try decode(.value))
    }
    if container.contains(.list) { return .isIn(try decode(.property), try decode(.list)) }
    if container.contains(.text) {
      guard case .text(let text) = try decode(.value) as StoredValue else {
        throw DecodingError.dataCorruptedError(
          forKey: .value, in: container, debugDescription: "a text test needs a text")
      }
      return .text(
        try decode(.property), try decode(.text), text,
        TextOptions(rawValue: try container.decodeIfPresent(Int.self, forKey: .options) ?? 0))
    }
    if container.contains(.other) {
      return .compareProperties(
        try decode(.property), try decode(.comparison), try decode(.other))
    }
    return .compare(try decode(.property), try decode(.comparison), try decode(.value))
  }
}

extension Condition.Leaf {
  fileprivate func write(to container: inout Condition.Output) throws {
    switch self {
    case .constant(let value): try container.encode(value, forKey: .constant)
    case .compare(let path, let comparison, let value):
      try container.encode(path, forKey: .property)
      try container.encode(comparison, forKey: .comparison)
      try container.encode(value, forKey: .value)
    case .compareProperties(let path, let comparison, let other):
      try container.encode(path, forKey: .property)
      try container.encode(comparison, forKey: .comparison)
      try container.encode(other, forKey: .other)
    case .isIn(let path, let values):
      try container.encode(path, forKey: .property)
      try container.encode(values, forKey: .list)
    case .text(let path, let test, let text, let options):
      try container.encode(path, forKey: .property)
      try container.encode(test, forKey: .text)
      try container.encode(StoredValue.text(text.text), forKey: .value)
      if !options.isEmpty { try container.encode(options.rawValue, forKey: .options) }
    case .count(let path, let comparison, let count):
      try container.encode(path, forKey: .count)
      try container.encode(comparison, forKey: .comparison)
      try container.encode(count, forKey: .value)
    case .excess(let limit):
      throw GraphError("encode a request", .tooLarge(limit.message))
    }
  }
}

extension RequestLimit {
  /// Returns the error for data that exceeds this limit.
  func fault(at path: [any CodingKey]) -> DecodingError {
    DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: path, debugDescription: message,
        underlyingError: GraphError("decode a request", .tooLarge(message))))
  }
}

extension KeyedDecodingContainer {
  fileprivate func fault(_ limit: RequestLimit) -> DecodingError { limit.fault(at: []) }
}

extension UnkeyedDecodingContainer {
  fileprivate func fault(_ limit: RequestLimit) -> DecodingError { limit.fault(at: codingPath) }

  fileprivate func fault(_ message: String) -> DecodingError {
    DecodingError.dataCorruptedError(in: self, debugDescription: message)
  }
}

// A path is encoded with dots between its names. Names of a schema contain no dot.

extension PropertyPath: Codable {
  package init(from decoder: any Decoder) throws {
    let names = try [String](dotted: decoder)
    self.init(relations: names.dropLast(), name: names.last ?? "")
  }

  package func encode(to encoder: any Encoder) throws {
    try (relations + [name]).encodeDotted(to: encoder)
  }
}

extension ToManyPath: Codable {
  package init(from decoder: any Decoder) throws {
    let names = try [String](dotted: decoder)
    self.init(relations: names.dropLast(), name: names.last ?? "")
  }

  package func encode(to encoder: any Encoder) throws {
    try (relations + [name]).encodeDotted(to: encoder)
  }
}

extension [String] {
  fileprivate init(dotted decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    self = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard count <= RequestLimit.relations.most + 1 else {
      throw RequestLimit.relations.fault(at: decoder.codingPath)
    }
  }

  fileprivate func encodeDotted(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(joined(separator: "."))
  }
}
