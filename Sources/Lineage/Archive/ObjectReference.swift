import Foundation
public import ObjectGraph

/// A reference to an object by its URI, `lineage://<store id>/<Entity>/<id>`, for Codable values,
/// restorable properties and other isolations.
///
/// ```swift
/// struct Screen: Codable {
///   var card: ObjectReference?
///   var due: FetchRequest<Card>
/// }
///
/// let screen = Screen(card: try ObjectReference(to: card), due: due)
/// let data = try JSONEncoder().encode(screen)
/// let again = try JSONDecoder().decode(Screen.self, from: data)
/// let shown = try again.card.map { try context.object(at: $0) } as? Object<Card>
/// ```
///
/// It is Sendable, and leads to the same object in every program. Ids never change, so a reference
/// can be made before a new object is saved.
public struct ObjectReference: Hashable, Sendable {
  /// The id of the store that has the object. A new object gets into this store when it is saved.
  public let storeID: String
  /// The entity's name in its schema.
  public let entity: String
  package let key: Int64

  /// Creates a reference to an object.
  ///
  /// - Throws: `GraphError` with the reason `disconnected` if the object is in no store's context.
  public init(to object: GraphObject) throws {
    guard let storeID = object.context?.storeID, !storeID.isEmpty else {
      throw GraphError("archive \(object.reference)", .disconnected(object.reference))
    }
    self.storeID = storeID
    entity = object.layout.name
    key = object.key
  }

  /// Creates a reference from a URI; nil if the text is not an object's URI.
  public init?(_ text: String) {
    let scheme = "lineage://"
    let isPlain = !text.utf8.contains(UInt8(ascii: "%"))
    guard text.hasPrefix(scheme), let plain = isPlain ? text : text.removingPercentEncoding else {
      return nil
    }
    let parts = plain.utf8.dropFirst(scheme.utf8.count)
      .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map(Substring.init)
    guard parts.count == 3, !parts[0].isEmpty, !parts[1].isEmpty, let key = Int64(parts[2]), key > 0
    else { return nil }
    storeID = String(parts[0])
    entity = String(parts[1])
    self.key = key
  }
}

extension ObjectContext {
  /// Returns the object to which a reference leads.
  ///
  /// - Throws: `wrongStore` if the reference is to an object of another store; `unknownEntity` if
  ///   the store has no such entity; `deleted` if the object was deleted or never saved.
  /// - Complexity: A lookup in each context up to the root, and one row read if no context has the
  ///   object.
  public func object(at reference: ObjectReference) throws -> GraphObject {
    guard let uri = URL(string: "\(reference)") else {
      throw GraphError("find \(reference)", .notAURI("\(reference)"))
    }
    return try object(at: uri)
  }
}

extension ObjectReference: CustomStringConvertible {
  /// The URI.
  public var description: String {
    let name = entity.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? entity
    return "lineage://\(storeID)/\(name)/\(key)"
  }
}

extension ObjectReference: Comparable {
  /// Returns whether the first reference sorts before the second. References sort by entity, then
  /// by id, then by store. Older objects of an entity have lower ids.
  public static func < (one: Self, other: Self) -> Bool {
    (one.entity, one.key, one.storeID) < (other.entity, other.key, other.storeID)
  }
}

extension ObjectReference: Codable {
  /// Decodes a URI.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let reference = ObjectReference(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text)\" is not a URI of an object")
    }
    self = reference
  }

  /// Encodes the URI.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
