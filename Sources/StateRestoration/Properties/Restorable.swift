public import ResponderChain

/// A property of a responder that keeps its value when the program ends.
///
/// ```swift
/// final class DeckController: Controller {
///   @Restorable("selection") var selection: Int?
///   @Restorable("draft") var draft = ""
/// }
/// ```
///
/// The responder needs a `restorationIdentifier`. Its value is read from the archive when the
/// property is first used. A set before the responder was decoded is a default, which the archived
/// value replaces. A set after that is an edit, which stays.
@propertyWrapper
public struct Restorable<Value> {
  @usableFromInline var value: Value
  @usableFromInline let key: PropertyKey
  @usableFromInline var phase = PropertyPhase.initial

  /// Creates a property that is kept under a key.
  @inlinable
  public init(wrappedValue: Value, _ key: StaticString) where Value: StateValue {
    value = wrappedValue
    self.key = PropertyKey(key)
  }

  /// Creates a property that is kept under a key, and is nil at first.
  @inlinable
  public init(_ key: StaticString) where Value: StateValue & ExpressibleByNilLiteral {
    value = nil
    self.key = PropertyKey(key)
  }

  /// Not available, because the type has no restorable values.
  @available(
    *, unavailable,
    message: "@Restorable needs a type that conforms to RestorableValue or ContextualValue"
  )
  @_disfavoredOverload
  public init(wrappedValue: Value, _ key: StaticString) { fatalError("unavailable") }

  /// Not available, because only responders have restorable properties.
  @available(*, unavailable, message: "@Restorable belongs in a Responder")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Not available, because only responders have restorable properties.
  @available(*, unavailable, message: "@Restorable belongs in a Responder")
  public var projectedValue: RestorableStatus { fatalError("unavailable") }

  /// The value of the property.
  @inlinable
  public static subscript<Owner: Responder>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value where Value: StateValue {
    get {
      let property = owner[keyPath: storage]
      if property.phase == .settled { return property.value }
      return property.read(from: owner, storage)
    }
    set {
      if owner[keyPath: storage].phase == .initial {
        PropertyTable.learn(owner[keyPath: storage].key, of: owner, storage)
      }
      owner[keyPath: storage].set(newValue, PropertySource.noteSet(of: owner))
    }
  }

  /// Whether the property waits for its context, and which of its objects are missing.
  public static subscript<Owner: Responder>(
    _enclosingInstance owner: Owner,
    projected projected: KeyPath<Owner, RestorableStatus>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> RestorableStatus where Value: StateValue {
    owner[keyPath: storage].status(of: owner, storage)
  }
}

/// The state of a restored property, which is its projected value: `$card.missing`.
public struct RestorableStatus: Sendable {
  /// Whether the archived value waits for a context.
  public internal(set) var isWaiting = false
  /// The archived objects that could not be found, each with its reason.
  public internal(set) var missing: [String] = []
}

/// The relation of a property to its archived value.
@usableFromInline
enum PropertyPhase: UInt8 {
  /// Nothing was read, and the class may not know the property.
  case initial
  /// Nothing was read. The class knows the property.
  case known
  /// The value is the archived one or newer.
  case settled
  /// The archived value cannot be read. Its bytes stay until the property is set.
  case unreadable
}

extension Restorable where Value: StateValue {
  /// Returns the value at its first use.
  @inlinable
  func read<Owner: Responder>(
    from owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    var next = self
    if phase == .initial {
      PropertyTable.learn(key, of: owner, storage)
      next.phase = .known
    }
    if phase != .unreadable {
      switch PropertySource.open(key, of: owner) {
      case .closed: break
      case .absent: next.phase = .settled
      case .value(var reader):
        do {
          next.value = try Value.read(from: &reader)
          next.phase = .settled
          PropertySource.close(key, of: owner)
        } catch {
          next.phase = PropertySource.failed(error, key, of: owner)
        }
      }
    }
    if next.phase != phase { owner[keyPath: storage] = next }
    return next.value
  }

  /// Sets the value. Before the responder's record was decoded, it is a default, which the archive
  /// replaces.
  @inlinable
  mutating func set(_ newValue: Value, _ isEdit: Bool) {
    value = newValue
    if isEdit { phase = .settled } else if phase == .initial { phase = .known }
  }

  fileprivate func status<Owner: Responder>(
    of owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> RestorableStatus {
    if phase != .settled { _ = read(from: owner, storage) }
    var status = RestorableStatus()
    guard let mark = owner.mark, let keeper = mark.keeper else { return status }
    switch owner[keyPath: storage].phase {
    case .settled: status.missing = keeper.missing(key: key.name, of: mark)
    case .unreadable: break
    case .initial, .known:
      if case .value = PropertySource.open(key, of: owner) { status.isWaiting = true }
    }
    return status
  }
}

/// The archived value of a property, if it may be read.
@usableFromInline
enum PropertySource {
  /// The responder was not restored, or not yet.
  case closed
  /// There is no archived value.
  case absent
  case value(ValueReader)

  @usableFromInline
  static func open(_ key: PropertyKey, of owner: Responder) -> PropertySource {
    guard let mark = owner.mark, mark.isDecoded, let keeper = mark.keeper else { return .closed }
    return key.value(of: mark, keeper, in: keeper.scope(of: owner)).map { .value($0) } ?? .absent
  }

  /// Notes what was found while a value was read.
  @usableFromInline
  static func close(_ key: PropertyKey, of owner: Responder) {
    guard let mark = owner.mark, let keeper = mark.keeper else { return }
    if keeper.contexts.hasReadPaths {
      keeper.contexts.hasReadPaths = false
      keeper.notePaths(in: owner, mark)
    }
    guard !keeper.contexts.missing.isEmpty else { return }
    keeper.note(missing: keeper.contexts.missing, key: key.name, of: owner)
  }

  /// Notes that a value could not be read, and returns the property's phase.
  @usableFromInline
  static func failed(
    _ error: any Error, _ key: PropertyKey, of owner: Responder
  ) -> PropertyPhase {
    // The initial value is shown until the context is ready.
    if error is ValueIsWaiting { return .known }
    owner.mark?.keeper?.note(error, key: key.name, of: owner)
    return .unreadable
  }

  /// Notes that a property was set, and returns whether that is an edit of a restored value.
  @usableFromInline
  static func noteSet(of owner: Responder) -> Bool {
    guard let mark = owner.mark else { return false }
    mark.noteChange(of: owner)
    return mark.isDecoded
  }
}
