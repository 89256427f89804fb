/// A property that is found by walking up from its responder each time it is read.
///
/// ```swift
/// final class CardController: Controller {
///   @Inherited var objects: ObjectContext?
///   @Inherited(Catalogue.self) var catalogue: ObjectContext?
/// }
/// ```
@propertyWrapper
public struct Inherited<K: ContextKey> {
  /// A property that is looked up under its own type.
  public init() where K: Context {}

  /// A property that is looked up under a key.
  public init(_ key: K.Type) {}

  /// Only responders have inherited properties.
  @available(*, unavailable, message: "@Inherited belongs into a Responder")
  public var wrappedValue: K.Value? { nil }

  /// What the enclosing responder finds.
  public static subscript<Owner: Responder>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: KeyPath<Owner, K.Value?>,
    storage storage: KeyPath<Owner, Self>
  ) -> K.Value? {
    owner.context(K.self)
  }
}
