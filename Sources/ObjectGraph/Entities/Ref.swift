/// A reference to one object by its permanent id. The value of a to-one property is an optional
/// `Ref`.
///
/// A reference has eight bytes, is Sendable, and means the same object in each context, store and
/// archive.
public struct Ref<Target: Entity>: Hashable, Sendable {
  package let key: Int64

  package init(key: Int64) { self.key = key }
}

extension Ref: KeyedReference {}

extension Ref: Comparable {
  /// Returns whether the first id is less than the second. Each id is less than the ids that the
  /// same process creates later.
  public static func < (one: Ref, other: Ref) -> Bool { one.key < other.key }
}

extension Ref: CustomStringConvertible {
  /// The entity's name and the id: `Card/81985529216486895`.
  public var description: String { "\(Target.schema.layout.name)/\(key)" }
}

extension Ref: Codable {
  /// Decodes a reference of the form `Card/81985529216486895`. Throws if it has the name of another
  /// entity.
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

  /// Encodes the reference in the form `Card/81985529216486895`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// A to-many property. It is computed, and names the to-one property on the other side.
///
/// ```swift
/// var cards: Many<Card> { Many(\.deck) }
/// ```
///
/// Only the to-one side is stored, so that the two sides never contradict each other.
public struct Many<Target: Entity>: Sendable {
  let inverseOffset: Int?
  let owner: any Entity.Type

  /// Creates a to-many property of the objects whose property `inverse` refers to the owner.
  public init<Owner: Entity>(_ inverse: any KeyPath<Target, Ref<Owner>?> & Sendable) {
    inverseOffset = MemoryLayout<Target>.offset(of: inverse)
    owner = Owner.self
  }
}
