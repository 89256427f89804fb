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
/// The value is read from the archive when the property is first used. A set before the responder
/// was restored is a default, which the archive replaces. A set after it is an edit, which stays.
@propertyWrapper
public struct Restorable<Value> {
  var value: Value
  let key: PropertyKey
  var phase = PropertyPhase.initial

  /// Creates a property that is kept under a key.
  public init(wrappedValue: Value, _ key: StaticString) where Value: StateValue {
    value = wrappedValue
    self.key = PropertyKey(key)
  }

  /// Creates a property that is kept under a key, and is nil at first.
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
      owner[keyPath: storage].set(newValue, of: owner, storage)
      owner.mark?.noteChange(of: owner)
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

/// The state of a restored property.
public struct RestorableStatus: Sendable {
  /// Whether the archived value waits for a context.
  public internal(set) var isWaiting = false
  /// The archived objects that could not be found, each with its reason.
  public internal(set) var missing: [String] = []
}

/// The relation of a property to its archived value.
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
  private func read<Owner: Responder>(
    from owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    if phase == .initial {
      PropertyTable.learn(key, of: owner, storage)
      owner[keyPath: storage].phase = .known
    }
    guard phase != .unreadable, let mark = owner.mark, mark.isDecoded, let keeper = mark.keeper
    else { return value }
    guard var values = keeper.values(of: mark), let entry = try? key.find(in: &values) else {
      owner[keyPath: storage].phase = .settled
      return value
    }
    let scope = keeper.scope(of: owner)
    var reader = values.reader(entry, scope)
    do {
      let restored = try Value.read(from: &reader)
      owner[keyPath: storage].value = restored
      owner[keyPath: storage].phase = .settled
      if !keeper.contexts.missing.isEmpty {
        keeper.note(missing: keeper.contexts.missing, key: key.name, of: owner)
      }
      return restored
    } catch is ValueIsWaiting {
      return value
    } catch {
      owner[keyPath: storage].phase = .unreadable
      keeper.note(error, key: key.name, of: owner)
      return value
    }
  }

  fileprivate mutating func set<Owner: Responder>(
    _ newValue: Value, of owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Self>
  ) {
    value = newValue
    if phase == .settled { return }
    if phase == .initial {
      PropertyTable.learn(key, of: owner, storage)
      phase = .known
    }
    // Before its record was decoded, a set is a default.
    if owner.mark?.isDecoded == true { phase = .settled }
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
      guard var values = keeper.values(of: mark) else { break }
      status.isWaiting = mark.isDecoded && (try? key.find(in: &values)) != nil
    }
    return status
  }
}
