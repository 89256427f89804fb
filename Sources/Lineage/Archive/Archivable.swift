public import ObjectGraph

/// A type from which an `@Archived` property can be built: an object, or an optional, array, set or
/// dictionary of such types, in any depth.
public protocol ArchivableElement {
  /// The type that has references in the place of objects.
  associatedtype References: Codable

  /// Returns the references that an archive writes.
  ///
  /// - Complexity: O(*n*) for *n* objects, O(*n* log *n*) for a set, whose references are sorted.
  func references() throws -> References

  /// Calls the closure with each reference, in order.
  ///
  /// - Complexity: O(*n*) for *n* references.
  static func visit(_ references: References, _ body: (ObjectReference) -> Void)

  /// Returns the objects that the closure finds; nil for a single object that is missing.
  ///
  /// - Complexity: O(*n*) for *n* references.
  static func restore(
    _ references: References, by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self?
}

/// A type that an `@Archived` property can have. Its value can be empty, because an object may be
/// missing when the archive is read.
public protocol Archivable: ArchivableElement {
  /// The value without objects.
  static var nothing: Self { get }
}

extension GraphObject: ArchivableElement {
  /// Returns a reference with the object's URI.
  public final func references() throws -> ObjectReference { try ObjectReference(to: self) }

  /// Calls the closure with the reference.
  public static func visit(_ references: ObjectReference, _ body: (ObjectReference) -> Void) {
    body(references)
  }

  /// Returns the object, if it is found and of this entity.
  public static func restore(
    _ references: ObjectReference, by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self? {
    find(references, Self.self) as? Self
  }
}

extension Optional: ArchivableElement, Archivable where Wrapped: ArchivableElement {
  /// The value without an object: nil.
  public static var nothing: Self { nil }

  /// Returns the reference, if there is an object.
  public func references() throws -> Wrapped.References? { try map { try $0.references() } }

  /// Calls the closure with the reference, if there is one.
  public static func visit(_ references: Wrapped.References?, _ body: (ObjectReference) -> Void) {
    if let references { Wrapped.visit(references, body) }
  }

  /// Returns the object, or a nil value if it is missing.
  public static func restore(
    _ references: Wrapped.References?, by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self? {
    .some(references.flatMap { Wrapped.restore($0, by: find) })
  }
}

extension Array: ArchivableElement, Archivable where Element: ArchivableElement {
  /// The value without objects: an empty array.
  public static var nothing: Self { [] }

  /// Returns the references, in order.
  public func references() throws -> [Element.References] { try map { try $0.references() } }

  /// Calls the closure with each reference, in order.
  public static func visit(_ references: [Element.References], _ body: (ObjectReference) -> Void) {
    for element in references { Element.visit(element, body) }
  }

  /// Returns the objects that are found, in order.
  public static func restore(
    _ references: [Element.References], by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self? {
    references.compactMap { Element.restore($0, by: find) }
  }
}

extension Set: ArchivableElement, Archivable where Element: GraphObject {
  /// The value without objects: an empty set.
  public static var nothing: Self { [] }

  /// Returns the references, sorted so that equal sets always give the same bytes.
  public func references() throws -> [ObjectReference] {
    try map { try $0.references() }.sorted()
  }

  /// Calls the closure with each reference, in order.
  public static func visit(_ references: [ObjectReference], _ body: (ObjectReference) -> Void) {
    references.forEach(body)
  }

  /// Returns the set of the objects that are found.
  public static func restore(
    _ references: [ObjectReference], by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self? {
    Set(references.compactMap { Element.restore($0, by: find) })
  }
}

extension Dictionary: ArchivableElement, Archivable
where Key: Codable, Value: ArchivableElement {
  /// The value without objects: an empty dictionary.
  public static var nothing: Self { [:] }

  /// Returns the references by their keys.
  public func references() throws -> [Key: Value.References] {
    try mapValues { try $0.references() }
  }

  /// Calls the closure with each reference, in no particular order.
  public static func visit(
    _ references: [Key: Value.References], _ body: (ObjectReference) -> Void
  ) {
    for element in references.values { Value.visit(element, body) }
  }

  /// Returns the objects that are found, by their keys.
  public static func restore(
    _ references: [Key: Value.References],
    by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self? {
    references.compactMapValues { Value.restore($0, by: find) }
  }
}
