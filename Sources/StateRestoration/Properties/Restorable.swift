public import ResponderChain

/// A property of a responder. Its value is saved, and is restored in the next process.
///
/// ```swift
/// final class DeckController: Controller {
///   @Restorable("selection") var selection: Int?
///   @Restorable("draft") var draft = ""
/// }
/// ```
///
/// The responder needs a `restorationIdentifier`. The archived value is read when the property is
/// first used after the responder was decoded. A value that is set before the responder is decoded
/// is a default, and the archived value replaces it. A value that is set later is an edit, and
/// stays.
@propertyWrapper
public struct Restorable<Value> {
  @usableFromInline let cell: ValueCell<Value>

  /// Creates a property with a value that is archived under a key.
  @inlinable
  public init(wrappedValue: Value, _ key: StaticString) where Value: StateValue {
    cell = StateCell(PropertyKey(key), wrappedValue)
  }

  /// Creates a property that is nil at first, with a value that is archived under a key.
  @inlinable
  public init(_ key: StaticString) where Value: StateValue & ExpressibleByNilLiteral {
    cell = StateCell(PropertyKey(key), nil)
  }

  /// Creates a property with a value that needs a context, and that is archived under a key.
  @inlinable
  public init(wrappedValue: Value, _ key: StaticString) where Value: ContextualValue {
    cell = ContextualCell(PropertyKey(key), wrappedValue)
  }

  /// Creates a property that is nil at first, with a value that needs a context, and that is archived
  /// under a key.
  @inlinable
  public init(_ key: StaticString) where Value: ContextualValue & ExpressibleByNilLiteral {
    cell = ContextualCell(PropertyKey(key), nil)
  }

  /// Creates a property that is nil at first, and that keeps a part of its value for the time before
  /// the value's context is there. The closure is called as by ``RestorableStatus/follow(_:)``.
  package init(
    _ key: StaticString, keeping part: @escaping (Value) -> Value.Early?,
    following hear: @escaping (Responder, Value, _ isGone: Bool) -> Void
  ) where Value: ContextualValue & ExpressibleByNilLiteral {
    cell = ContextualCell(PropertyKey(key), nil, keeping: part, hear)
  }

  /// Not available, because values of this type cannot be archived.
  @available(*, unavailable, message: "@Restorable needs ': Codable, RestorableValue' on the type")
  @_disfavoredOverload
  public init(wrappedValue: Value, _ key: StaticString) { fatalError("unavailable") }

  /// Not available, because values of this optional's type cannot be archived.
  @available(*, unavailable, message: "@Restorable needs ': Codable, RestorableValue' on the type")
  @_disfavoredOverload
  public init(_ key: StaticString) where Value: ExpressibleByNilLiteral {
    fatalError("unavailable")
  }

  /// Not available, because only responders have restorable properties.
  @available(*, unavailable, message: "@Restorable belongs in a Responder")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Not available, because only responders have restorable properties.
  @available(*, unavailable, message: "@Restorable belongs in a Responder")
  public var projectedValue: RestorableStatus<Value> { fatalError("unavailable") }

  /// The value of the property.
  ///
  /// - Complexity: O(1), except for the first read after the responder was decoded. That read
  ///   searches the record for the key, and decodes the value. While the value waits for its
  ///   context, each read searches the record and tries to decode the value.
  @inlinable
  public static subscript<Owner: Responder>(
    _enclosingInstance owner: Owner,
    wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    // The accessors are always inlined, so the compiler knows the key path and accesses the
    // property directly.
    @inline(__always) get {
      let cell = owner[keyPath: storage].cell
      if !cell.phase.isFinal { cell.read(from: owner, Owner.self) }
      return cell.value
    }
    @inline(__always) set { owner[keyPath: storage].cell.set(newValue, in: owner, Owner.self) }
  }

  /// The status of the property: whether it waits for its context, which of its objects are missing,
  /// and what it keeps of them.
  public static subscript<Owner: Responder>(
    _enclosingInstance owner: Owner,
    projected projected: KeyPath<Owner, RestorableStatus<Value>>,
    storage storage: ReferenceWritableKeyPath<Owner, Self>
  ) -> RestorableStatus<Value> {
    RestorableStatus(owner[keyPath: storage].cell, owner, Owner.self)
  }
}

extension ValueCell {
  /// Sets the value. A value that is set before the responder's record was decoded is a default,
  /// which the archived value replaces.
  @inlinable
  func set(_ newValue: Value, in owner: Responder, _ type: Any.Type) {
    if phase == .initial || phase == .absent { keepDefault(in: owner) }
    replace(with: newValue)
    noteSet(in: owner, type)
  }

  /// Remembers the present value, which is the default, before another one is set. If an archive
  /// without a value of the property is restored into the running application, the default comes
  /// back.
  @usableFromInline
  func keepDefault(in owner: Responder) {
    owner.mark?.record?.defaults.append { [value] in
      self.replace(with: value)
      self.phase = .initial
    }
  }
}

extension PropertyCell {
  /// Reads the archived value, if it can be read now.
  @usableFromInline
  final func read(from owner: Responder, _ type: Any.Type) {
    guard phase != .unreadable, let mark = owner.mark, mark.isDecoded, let record = mark.record
    else { return }
    let contexts = record.home.contexts
    var isArchived = false
    do {
      isArchived = try record.home.read(self, of: record, owner)
      if isArchived {
        isGone = !contexts.missing.isEmpty && !contexts.isMissingForNow
        // A value that stands in for the archived one is read again later.
        phase = contexts.hasStandIn ? .known : .present
        if phase == .present, !contexts.missing.isEmpty { noteMissing(of: owner, mark) }
      } else {
        // There is no archived value. So a value that was set before stays, and saves write it.
        phase = phase == .known ? .present : .absent
      }
    } catch is ValueIsWaiting {
      // The property has its default until the context is ready.
      phase = .known
    } catch is ReferenceIsMissing {
      // A property that is not optional keeps its value, and the archived bytes are kept, too.
      phase = .unreadable
      noteMissing(of: owner, mark)
    } catch {
      mark.keeper?.note(error, key: key.name, of: owner)
      phase = .unreadable
    }
    if self.owner == nil { mark.properties.insert(self, of: type) }
    if record.home.crashGuard.hasStrikes { mark.keeper?.didReadWithStrikes(record) }
    if isFollowed, phase.isFinal {
      valueDidChange(in: owner, isArchived: isArchived, isGone: isGone)
    }
  }

  /// Tells the record keeper of references in the value that lead to nothing.
  private final func noteMissing(of owner: Responder, _ mark: Mark) {
    guard let keeper = mark.keeper else { return }
    keeper.note(missing: keeper.contexts.missing, key: key.name, of: owner)
  }

  /// Notes that the property was set.
  @usableFromInline
  final func noteSet(in owner: Responder, _ type: Any.Type) {
    isGone = false
    defer { if isFollowed { valueDidChange(in: owner, isArchived: false, isGone: false) } }
    guard let mark = owner.mark else {
      phase = .known
      return insert(in: owner, type)
    }
    mark.noteChange()
    if let record = mark.record, record.hasMissing { record[missing: key.name] = [] }
    // Before the responder was decoded, the value is a default.
    phase = mark.isDecoded ? .present : .known
    insert(in: owner, type)
  }

  /// Adds the property to those of its responder, if it is not among them yet.
  final func insert(in owner: Responder, _ type: Any.Type) {
    guard self.owner == nil else { return }
    owner.mark?.properties.insert(self, of: type) ?? owner.keep(self, of: type)
  }
}

extension Responder {
  /// Reads the archived values of the properties that are followed, as far as their contexts are
  /// there.
  final func readFollowedProperties() {
    guard let mark else { return }
    mark.properties.forEach { property in
      guard property.isFollowed, !property.phase.isFinal, let type = property.owner else { return }
      property.read(from: self, type)
    }
  }
}
