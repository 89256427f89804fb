import Foundation

// A value is encoded as an object with one member, whose name is the kind: `{"integer": 3}`.
// Archives contain this form, so it must not change.

extension StoredValue: Codable {
  private enum CodingKeys: CodingKey { case null, integer, real, text, utf8, blob }

  /// Decodes an object with one member, whose name is the kind of the value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: container.codingPath, debugDescription: "a value has one kind"))
    }
    switch key {
    case .null: self = .null
    case .integer: self = .integer(try container.decode(Int64.self, forKey: key))
    case .real: self = .real(try Self.real(in: container))
    case .text: self = .text(try container.decode(String.self, forKey: key))
    case .utf8:
      self = .text(String(decoding: try container.decode(Data.self, forKey: key), as: UTF8.self))
    case .blob: self = .blob(Array(try container.decode(Data.self, forKey: key)))
    }
  }

  private static func real(in container: KeyedDecodingContainer<CodingKeys>) throws -> Double {
    // JSON has no infinities.
    switch try? container.decode(String.self, forKey: .real) {
    case "infinity": .infinity
    case "-infinity": -.infinity
    default: try container.decode(Double.self, forKey: .real)
    }
  }

  /// Encodes an object with one member, whose name is the kind of the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .null: try container.encode(true, forKey: .null)
    case .integer(let value): try container.encode(value, forKey: .integer)
    case .real(let value) where value.isInfinite:
      try container.encode(value < 0 ? "-infinity" : "infinity", forKey: .real)
    case .real(let value): try container.encode(value, forKey: .real)
    case .text(let text) where text.isComposed: try container.encode(text, forKey: .text)
    case .text(let text): try container.encode(Data(text.utf8), forKey: .utf8)
    case .blob(let bytes): try container.encode(Data(bytes), forKey: .blob)
    }
  }
}

extension String {
  /// Whether the text is in Unicode's composed form (NFC).
  ///
  /// Swift treats some texts with different bytes as equal. Foundation's property lists store equal
  /// texts only once, so one of two such texts would be lost. Two composed texts are equal only if
  /// their bytes are equal, so only composed texts are encoded as text. Other texts are encoded as
  /// bytes.
  fileprivate var isComposed: Bool {
    utf8.allSatisfy { $0 < 0x80 }
      || precomposedStringWithCanonicalMapping.utf8.elementsEqual(utf8)
  }
}
