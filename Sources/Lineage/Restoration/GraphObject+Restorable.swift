public import ObjectGraph
public import StateRestoration

/// An object is archived as its URI. When the archive is read, the object is looked up in the
/// context that the property's responder resolves.
///
/// ```swift
/// @Restorable("card") var card: Object<Card>?
/// @Restorable("marked") var marked: [Object<Card>] = []
/// ```
///
/// If an object was deleted or belongs to another store, an optional property is nil, and an array
/// lacks the object. `$card.missing` has the reason.
///
/// The early part of an object is a text that a property keeps beside it, such as the object's name;
/// see `@Restorable("deck", keeping: \.name)`.
extension GraphObject: ContextualValue {
  /// The type of the text that a property keeps beside an object.
  public typealias Early = String

  /// Returns nil, because a text is no object.
  public static func standIn(for text: String) -> Self? { nil }

  /// Writes the object's URI.
  ///
  /// - Throws: an error if the object is in no store's context, or if the responder resolves no
  ///   context of that store.
  public final func write(to writer: inout ValueWriter) throws {
    let reference = try ObjectReference(to: self)
    let context = context
    try writer.writeReference("\(reference)") { found, isOwn in
      guard let found = found as? ObjectContext, found.storeID == reference.storeID else {
        return false
      }
      return !isOwn || context.map(found.hasRoot) == true
    }
  }

  /// Reads a URI, and returns its object from the context that the reader provides.
  public static func read(from reader: inout ValueReader) throws -> Self {
    let (uri, found) = try reader.readReference()
    func missing(_ reason: MissingObject.Cause) -> any Error {
      guard let reference = ObjectReference(utf8: uri) else {
        return StateError(
          .refused(String(decoding: uri, as: UTF8.self), type: "URI of an object"))
      }
      return reader.missing(
        "\(MissingObject(reference: reference, reason: reason))", isForNow: reason.isForNow)
    }
    switch (found as? ObjectContext)?.outcome(of: uri) {
    case .success(let object as Self): return object
    case .success: throw missing(.otherEntity)
    case .failure(let reason): throw missing(reason)
    case nil: throw missing(.deleted)
    }
  }
}

/// A fetch request is archived with the names of its properties. So it can be read without a
/// context.
extension FetchRequest: RestorableValue {}

/// A reference is archived as a text, like a Codable value. So it can be read before the store is
/// open.
extension Ref: RestorableValue {
  /// Reads a reference. An archived object of the entity is read as the reference to it.
  public static func read(from reader: inout ValueReader) throws -> Ref {
    guard let uri = try reader.readReferenceText() else { return try reader.readCodable() }
    guard let reference = ObjectReference(utf8: uri), reference.entity == Target.schema.layout.name
    else {
      throw StateError(
        .refused(String(decoding: uri, as: UTF8.self), type: "Ref<\(Target.self)>"))
    }
    return Ref(key: reference.key)
  }
}

/// A reference is archived as its URI. So it can be read before the store is open.
///
/// ```swift
/// @Restorable("card") var card: ObjectReference?
///
/// let shown = try card.map { try context.object(at: $0) }  // when the context is there
/// ```
extension ObjectReference: RestorableValue {}
