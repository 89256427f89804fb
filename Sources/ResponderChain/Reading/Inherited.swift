/// A property of a responder whose value is looked up each time it is read.
///
/// ```swift
/// final class CardController: Controller {
///   @Inherited var objects: ObjectContext?
///   @Inherited(Catalogue.self) var catalogue: ObjectContext?
/// }
/// ```
@propertyWrapper
public struct Inherited<Value> {
  private let read: (Responder) -> Value?

  /// Makes a property whose value is looked up under the value's own type.
  public init() where Value: Context {
    read = { $0.context(Value.self) }
  }

  /// Makes a property whose value is looked up under a key.
  public init<K: ContextKey>(_ key: K.Type) where K.Value == Value {
    read = { $0.context(K.self) }
  }

  /// A property that is not available, because only responders can have inherited properties.
  @available(*, unavailable, message: "@Inherited belongs in a Responder")
  public var wrappedValue: Value? { nil }

  /// The value that the enclosing responder finds, or the key's fallback if there is no value.
  ///
  /// - Complexity: That of ``Responder/resolve(_:from:)``.
  public static subscript<Owner: Responder>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: KeyPath<Owner, Value?>,
    storage storage: KeyPath<Owner, Self>
  ) -> Value? {
    owner[keyPath: storage].read(owner)
  }
}
