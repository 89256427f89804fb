public import ObjectGraph

/// What `@Archived` can be made of: objects, and optionals, arrays, sets and dictionaries of them,
/// in any depth.
public protocol ArchivableElement {
  /// The same with references in the place of objects.
  associatedtype References: Codable

  /// What an archive writes.
  func references() throws -> References

  /// Calls the closure with each reference, in order.
  static func visit(_ references: References, _ body: (ObjectReference) -> Void)

  /// The objects that are found; nil if this is one object, and it is missing.
  static func restore(
    _ references: References, by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self?
}

/// What the value of an `@Archived` property can be: something that can be empty, because an object
/// may be missing when the archive is read.
public protocol Archivable: ArchivableElement {
  /// The value without any object.
  static var nothing: Self { get }
}

extension GraphObject: ArchivableElement {
  /// The object's URI.
  public final func references() throws -> ObjectReference { try ObjectReference(to: self) }

  /// The one reference.
  public static func visit(_ references: ObjectReference, _ body: (ObjectReference) -> Void) {
    body(references)
  }

  /// The object, if it is there and of this entity.
  public static func restore(
    _ references: ObjectReference, by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self? {
    find(references, Self.self) as? Self
  }
}

extension Optional: ArchivableElement, Archivable where Wrapped: ArchivableElement {
  /// No object.
  public static var nothing: Self { nil }

  /// The reference, if there is an object.
  public func references() throws -> Wrapped.References? { try map { try $0.references() } }

  /// The reference, if there is one.
  public static func visit(_ references: Wrapped.References?, _ body: (ObjectReference) -> Void) {
    if let references { Wrapped.visit(references, body) }
  }

  /// Nil if the object is missing.
  public static func restore(
    _ references: Wrapped.References?, by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self? {
    .some(references.flatMap { Wrapped.restore($0, by: find) })
  }
}

extension Array: ArchivableElement, Archivable where Element: ArchivableElement {
  /// No objects.
  public static var nothing: Self { [] }

  /// The references, in order.
  public func references() throws -> [Element.References] { try map { try $0.references() } }

  /// Each reference, in order.
  public static func visit(_ references: [Element.References], _ body: (ObjectReference) -> Void) {
    for element in references { Element.visit(element, body) }
  }

  /// Those that are found, in order.
  public static func restore(
    _ references: [Element.References], by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self? {
    references.compactMap { Element.restore($0, by: find) }
  }
}

extension Set: ArchivableElement, Archivable where Element: GraphObject {
  /// No objects.
  public static var nothing: Self { [] }

  /// In the references' order, so that the same set always gives the same bytes.
  public func references() throws -> [ObjectReference] {
    try map { try $0.references() }.sorted()
  }

  /// Each reference.
  public static func visit(_ references: [ObjectReference], _ body: (ObjectReference) -> Void) {
    references.forEach(body)
  }

  /// Those that are found.
  public static func restore(
    _ references: [ObjectReference], by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self? {
    Set(references.compactMap { Element.restore($0, by: find) })
  }
}

extension Dictionary: ArchivableElement, Archivable
where Key: Codable, Value: ArchivableElement {
  /// No objects.
  public static var nothing: Self { [:] }

  /// The references under their keys.
  public func references() throws -> [Key: Value.References] {
    try mapValues { try $0.references() }
  }

  /// Each reference, in no order.
  public static func visit(
    _ references: [Key: Value.References], _ body: (ObjectReference) -> Void
  ) {
    for element in references.values { Value.visit(element, body) }
  }

  /// Those that are found, under their keys.
  public static func restore(
    _ references: [Key: Value.References],
    by find: (ObjectReference, GraphObject.Type) -> GraphObject?
  ) -> Self? {
    references.compactMapValues { Value.restore($0, by: find) }
  }
}
