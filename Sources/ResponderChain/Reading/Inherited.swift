/// A property that is found by walking up from its responder each time it is read.
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

  /// A property that is looked up under its own type.
  public init() where Value: Context { read = { $0.context(Value.self) } }

  /// A property that is looked up under a key.
  public init<K: ContextKey>(_ key: K.Type) where K.Value == Value {
    read = { $0.context(K.self) }
  }

  /// Only responders have inherited properties.
  @available(*, unavailable, message: "@Inherited belongs into a Responder")
  public var wrappedValue: Value? { nil }

  /// What the enclosing responder finds.
  public static subscript<Owner: Responder>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: KeyPath<Owner, Value?>,
    storage storage: KeyPath<Owner, Self>
  ) -> Value? {
    owner[keyPath: storage].read(owner)
  }
}
