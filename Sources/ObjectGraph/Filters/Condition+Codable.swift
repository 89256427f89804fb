// Written for people too: `{"property": "deck.name", "is": "equal", "value": {"text": "Sums"}}`.
// The form is in archives, so it must not change.

extension Condition: Codable {
  private enum CodingKeys: String, CodingKey {
    case constant, property, comparison = "is", value, other, list = "in", text, options
    case any, all, count, condition = "where", and, or, not
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    // A condition is evaluated recursively, so an archive must not say how deep.
    guard decoder.codingPath.count < 400 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: "a condition nests too deep"))
    }
    func decode<T: Decodable>(_ key: CodingKeys) throws -> T {
      try container.decode(T.self, forKey: key)
    }
    if container.contains(.constant) {
      self = .constant(try decode(.constant))
    } else if container.contains(.and) {
      self = .and(try decode(.and))
    } else if container.contains(.or) {
      self = .or(try decode(.or))
    } else if container.contains(.not) {
      self = .not(try decode(.not))
    } else if container.contains(.any) {
      self = .any(try decode(.any), try decode(.condition))
    } else if container.contains(.all) {
      self = .all(try decode(.all), try decode(.condition))
    } else if container.contains(.count) {
      self = .count(try decode(.count), try decode(.comparison), try decode(.value))
    } else if container.contains(.list) {
      self = .isIn(try decode(.property), try decode(.list))
    } else if container.contains(.text) {
      guard case .text(let text) = try decode(.value) as Stored else {
        throw DecodingError.dataCorruptedError(
          forKey: .value, in: container, debugDescription: "a text test needs a text")
      }
      self = .text(
        try decode(.property), try decode(.text), text,
        TextOptions(rawValue: try container.decodeIfPresent(Int.self, forKey: .options) ?? 0))
    } else if container.contains(.other) {
      self = .compareProperties(
        try decode(.property), try decode(.comparison), try decode(.other))
    } else {
      self = .compare(try decode(.property), try decode(.comparison), try decode(.value))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    func encode(_ value: some Encodable, _ key: CodingKeys) throws {
      try container.encode(value, forKey: key)
    }
    switch self {
    case .constant(let value): try encode(value, .constant)
    case .compare(let path, let comparison, let value):
      try encode(path, .property)
      try encode(comparison, .comparison)
      try encode(value, .value)
    case .compareProperties(let path, let comparison, let other):
      try encode(path, .property)
      try encode(comparison, .comparison)
      try encode(other, .other)
    case .isIn(let path, let values):
      try encode(path, .property)
      try encode(values, .list)
    case .text(let path, let test, let text, let options):
      try encode(path, .property)
      try encode(test, .text)
      try encode(Stored.text(text), .value)
      if !options.isEmpty { try encode(options.rawValue, .options) }
    case .any(let path, let condition):
      try encode(path, .any)
      try encode(condition, .condition)
    case .all(let path, let condition):
      try encode(path, .all)
      try encode(condition, .condition)
    case .count(let path, let comparison, let count):
      try encode(path, .count)
      try encode(comparison, .comparison)
      try encode(count, .value)
    case .and(let terms): try encode(terms, .and)
    case .or(let terms): try encode(terms, .or)
    case .not(let condition): try encode(condition, .not)
    }
  }
}

// No name of a schema has a dot in it.

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
  }

  fileprivate func encodeDotted(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(joined(separator: "."))
  }
}
