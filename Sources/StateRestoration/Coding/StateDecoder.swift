import LineageFiles
public import ResponderChain

/// The reader of one responder's state, passed to
/// ``StateRestoring/decodeRestorableState(with:)``. It may be used only during that call.
public final class StateDecoder {
  private let values: RecordValues
  // Exclusivity checking is off, because it takes longer than reading a small value. This is safe
  // because no code of an app runs during an access.
  @exclusivity(unchecked) @safe private var cursor: RecordValues.Cursor
  private let scope: ValueScope
  /// The version of the kind with which the record was written.
  public let version: Int
  /// The values that wait for their contexts.
  private(set) var waiting: [WaitingValue] = []
  /// The keys whose references led to nothing, with the reasons.
  private(set) var missing: [(key: String, reasons: [String])] = []
  /// The values that were read.
  @exclusivity(unchecked) @safe private(set) var used = UsedValues()

  init(_ values: RecordValues, _ scope: ValueScope, version: Int) {
    self.values = values
    cursor = values.first
    self.scope = scope
    responder = scope.responder
    self.version = version
  }

  /// The responder that is restored, or below which the object was added.
  public let responder: Responder

  /// Returns whether the record has a value under a key. An archived nil counts as a value.
  public func contains(_ key: String) -> Bool { (try? find(key)) ?? nil != nil }

  /// Returns the value under a key; nil if there is none or if it is an archived nil. If the value
  /// is a responder that is not in the tree, nil is returned and the report says so.
  ///
  /// - Throws: ``StateError`` if the value is of another type. Its bytes are kept until another
  ///   value is written under the key.
  @inlinable
  public func decode<Value: RestorableValue>(_ key: StateKey<Value>) throws -> Value? {
    guard let entry = try open(key.name) else { return nil }
    var reader = entry.reader
    do {
      let value = try Value.read(from: &reader)
      use(entry.index, key.name)
      return value
    } catch {
      try useIfMissing(error, entry.index, key.name)
      return nil
    }
  }

  /// Returns a reader of the value under a key, and the value's index; nil if there is none, or if
  /// it is nil.
  @usableFromInline
  func open(_ key: String) throws -> (reader: ValueReader, index: Int)? {
    guard let entry = try find(key) else { return nil }
    var reader = values.reader(entry, scope)
    guard try reader.readNil() else { return (reader, entry.index) }
    used.insert(entry.index)
    return nil
  }

  /// Notes that a value was read. Later saves no longer copy its archived bytes.
  @usableFromInline
  func use(_ index: Int, _ key: String) {
    used.insert(index)
    guard !scope.contexts.missing.isEmpty else { return }
    missing.append((key, scope.contexts.missing))
    scope.contexts.missing = []
  }

  /// Notes that a value was read, if the error says that its reference leads to nothing.
  ///
  /// - Throws: the error, if it says anything else.
  @usableFromInline
  func useIfMissing(_ error: any Error, _ index: Int, _ key: String) throws {
    guard error is ReferenceIsMissing else {
      scope.contexts.missing = []
      throw error
    }
    use(index, key)
  }

  /// Sets a property to the value under a key, now or when its context is ready.
  ///
  /// ```swift
  /// try coder.whenReady("card", into: \.card, of: self)
  /// ```
  ///
  /// The property is not set if there is no value under the key. If its own value has changed while
  /// it waited, that is an edit, and it stays.
  ///
  /// If an object is missing, a property that can be nil becomes nil, and a collection leaves the
  /// object out. A property of any other type is not set. The report says that the object is
  /// missing.
  ///
  /// - Throws: ``StateError`` if the value is of another type.
  public func whenReady<Owner: AnyObject, Value: ContextualValue>(
    _ key: StateKey<Value>, into property: ReferenceWritableKeyPath<Owner, Value>, of owner: Owner
  ) throws {
    guard let entry = try find(key.name) else { return }
    do {
      var reader = values.reader(entry, scope)
      owner[keyPath: property] = try Value.read(from: &reader)
      use(entry.index, key.name)
    } catch is ValueIsWaiting {
      scope.contexts.missing = []
      waiting.append(WaitingProperty(key.name, property, owner, scope))
    } catch {
      try useIfMissing(error, entry.index, key.name)
    }
  }

  /// Returns the context that the restored responder finds under a key.
  public func context<Key: ContextKey>(_ key: Key.Type) -> Resolution<Key.Value> {
    responder.resolve(key)
  }

  private func find(_ key: String) throws -> RecordValues.Entry? {
    // The search works on a copy of the cursor, so that the decoder is not accessed meanwhile.
    var next = cursor
    defer { cursor = next }
    return try values.find(key, from: &next)
  }
}

/// A property that waits for its context, in order to get the value under a key.
class WaitingValue {
  let key: String
  /// The bytes of the property's value when it began to wait; nil if that could not be written.
  let before: [UInt8]?

  init(_ key: String, before: [UInt8]?) {
    self.key = key
    self.before = before
  }

  /// Sets the property, unless its value has changed since it began to wait.
  ///
  /// - Returns: false if the context is still not ready.
  func settle(_ values: RecordValues, _ scope: ValueScope) throws -> Bool { true }
}

private final class WaitingProperty<Owner: AnyObject, Value: ContextualValue>: WaitingValue {
  private let property: ReferenceWritableKeyPath<Owner, Value>
  private weak var owner: Owner?

  init(
    _ key: String, _ property: ReferenceWritableKeyPath<Owner, Value>, _ owner: Owner,
    _ scope: ValueScope
  ) {
    self.property = property
    self.owner = owner
    super.init(key, before: Self.bytes(owner[keyPath: property], scope))
  }

  private static func bytes(_ value: Value, _ scope: ValueScope) -> [UInt8]? {
    var writer = ValueWriter(capacity: 64)
    writer.contexts = scope.contexts
    writer.responder = scope.responder
    guard (try? value.write(to: &writer)) != nil else { return nil }
    return writer.bytes.bytes(from: 0)
  }

  override func settle(_ values: RecordValues, _ scope: ValueScope) throws -> Bool {
    guard let owner, Self.bytes(owner[keyPath: property], scope) == before,
      let entry = try values.find(key)
    else { return true }
    do {
      var reader = values.reader(entry, scope)
      owner[keyPath: property] = try Value.read(from: &reader)
      return true
    } catch is ValueIsWaiting {
      return false
    } catch is ReferenceIsMissing {
      return true
    }
  }
}
