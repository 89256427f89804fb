public import ObjectGraph

/// A type whose values can be parts of an `@Archived` property. It is an object, or an optional,
/// array, set or dictionary of archivable elements, nested to any depth.
public protocol ArchivableElement {
  /// The type of the archived value, which has references in the place of objects.
  associatedtype References: Codable

  /// Returns the value to archive, which has references in the place of objects.
  ///
  /// - Complexity: O(*n*) for *n* objects, O(*n* log *n*) for a set, whose references are sorted.
  func references() throws -> References

  /// Calls the closure with each reference, in order.
  ///
  /// - Complexity: O(*n*) for *n* references.
  static func visit(_ references: References, _ body: (ObjectReference) -> Void)

  /// Returns the value with the objects that the closure returns for the references. An element
  /// without an object is left out. Returns nil if the value itself is an object that is missing.
  ///
  /// - Complexity: O(*n*) for *n* references.
  static func restore(
    _ references: References, by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self?
}

/// A type that an `@Archived` property can have. It has a value without objects, because an object
/// may be missing when the archive is read.
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

  /// Returns the object for the reference; nil if it is missing or of another entity.
  public static func restore(
    _ references: ObjectReference, by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self? {
    find(references, Self.self) as? Self
  }
}

extension Optional: ArchivableElement, Archivable where Wrapped: ArchivableElement {
  /// The value without an object: nil.
  public static var nothing: Self { nil }

  /// Returns the archived form of the wrapped value; nil for nil.
  public func references() throws -> Wrapped.References? { try map { try $0.references() } }

  /// Calls the closure with each reference of the wrapped value, if there is one.
  public static func visit(_ references: Wrapped.References?, _ body: (ObjectReference) -> Void) {
    if let references { Wrapped.visit(references, body) }
  }

  /// Returns an optional with the restored value, or with nil if the object is missing. The
  /// function itself never returns nil.
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

  /// Returns an array of the elements whose objects are found, in order.
  public static func restore(
    _ references: [Element.References], by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self? {
    references.compactMap { Element.restore($0, by: find) }
  }
}

extension Set: ArchivableElement, Archivable where Element: GraphObject {
  /// The value without objects: an empty set.
  public static var nothing: Self { [] }

  /// Returns the references. They are sorted, so that equal sets are archived as the same bytes.
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

  /// Returns a dictionary with references in the place of objects.
  public func references() throws -> [Key: Value.References] {
    try mapValues { try $0.references() }
  }

  /// Calls the closure with each reference, in no particular order.
  public static func visit(
    _ references: [Key: Value.References], _ body: (ObjectReference) -> Void
  ) {
    for element in references.values { Value.visit(element, body) }
  }

  /// Returns a dictionary of the values whose objects are found, with their keys.
  public static func restore(
    _ references: [Key: Value.References],
    by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self? {
    references.compactMapValues { Value.restore($0, by: find) }
  }
}
