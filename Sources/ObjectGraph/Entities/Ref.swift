/// The permanent id of one object: what a to-one property holds.
///
/// It is eight bytes, Sendable, and means the same object in each context, store and archive.
public struct Ref<Target: Entity>: Hashable, Sendable {
  package let key: Int64

  package init(key: Int64) { self.key = key }
}

extension Ref: Comparable {
  /// Older ids come first; ids made in one process are in the order of their making.
  public static func < (one: Ref, other: Ref) -> Bool { one.key < other.key }
}

extension Ref: CustomStringConvertible {
  /// The entity's name and the id: `Card/81985529216486895`.
  public var description: String { "\(Target.schema.layout.name)/\(key)" }
}

extension Ref: Codable {
  /// Reads the form `Card/81985529216486895`, refusing another entity's.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    let name = Target.schema.layout.name
    guard text.hasPrefix(name + "/"), let key = Int64(text.dropFirst(name.count + 1)), key > 0
    else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text)\" is not a reference to \(name)")
    }
    self.key = key
  }

  /// Writes the description.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// A to-many property: computed, it names the to-one property on the other side.
///
/// ```swift
/// var cards: Many<Card> { Many(\.deck) }
/// ```
public struct Many<Target: Entity>: Sendable {
  let inverseOffset: Int?
  let owner: any Entity.Type

  /// Names the objects whose `inverse` refers to this one.
  public init<Owner: Entity>(_ inverse: any KeyPath<Target, Ref<Owner>?> & Sendable) {
    inverseOffset = MemoryLayout<Target>.offset(of: inverse)
    owner = Owner.self
  }
}
