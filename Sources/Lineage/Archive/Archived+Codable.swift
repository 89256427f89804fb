public import Foundation

extension CodingUserInfoKey {
  /// The key of the ``ReferenceBatch`` in a decoder's `userInfo`. Objects are looked up in the
  /// context of this batch.
  public static let objectContext = CodingUserInfoKey("Lineage.objectContext")

  private init(_ name: String) {
    guard let key = CodingUserInfoKey(rawValue: name) else {
      preconditionFailure("any name is a key")
    }
    self = key
  }
}

extension JSONDecoder {
  /// The context in which the objects of `@Archived` properties are looked up; nil until it is set.
  public var objectContext: ObjectContext? {
    get { (userInfo[.objectContext] as? ReferenceBatch)?.references.context }
    set { userInfo[.objectContext] = newValue.map { ReferenceBatch(in: $0) } }
  }
}

extension PropertyListDecoder {
  /// The context in which the objects of `@Archived` properties are looked up; nil until it is set.
  public var objectContext: ObjectContext? {
    get { (userInfo[.objectContext] as? ReferenceBatch)?.references.context }
    set { userInfo[.objectContext] = newValue.map { ReferenceBatch(in: $0) } }
  }
}

extension Archived: Encodable {
  /// Encodes the URIs of the objects.
  ///
  /// - Throws: `EncodingError.invalidValue` if an object is in no store's context.
  public func encode(to encoder: any Encoder) throws {
    let references: Value.References
    do {
      references = try self.references()
    } catch {
      throw EncodingError.invalidValue(
        wrappedValue,
        EncodingError.Context(
          codingPath: encoder.codingPath, debugDescription: "\(error)", underlyingError: error))
    }
    var container = encoder.singleValueContainer()
    try container.encode(references)
  }
}

extension Archived: Decodable {
  /// Decodes the objects' URIs. The objects are fetched when a property of the decoded value is
  /// first read.
  ///
  /// - Throws: `DecodingError.dataCorrupted` if the decoder has no `objectContext`, or if a text is
  ///   not an object's URI. A missing object is no error.
  public init(from decoder: any Decoder) throws {
    let references = try decoder.singleValueContainer().decode(Value.References.self)
    guard let batch = decoder.userInfo[.objectContext] as? ReferenceBatch else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "the decoder has no objectContext in which to find objects"))
    }
    self.init(DecodedObjects(references, in: batch.references))
  }
}

extension KeyedDecodingContainer {
  /// Decodes an `@Archived` property. If an older archive lacks the property, the property gets a
  /// value without objects.
  public func decode<Value>(
    _ type: Archived<Value>.Type, forKey key: Key
  ) throws -> Archived<Value> {
    try decodeIfPresent(type, forKey: key) ?? Archived(wrappedValue: .nothing)
  }
}
