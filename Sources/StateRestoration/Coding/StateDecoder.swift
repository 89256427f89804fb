import LineageFiles
public import ResponderChain

/// The reader of the state of one responder or added object, passed to
/// ``StateRestoring/decodeRestorableState(with:)``. Use it only during that call.
///
/// The search for a key is O(1) if the keys are read in the order in which they were written.
/// Otherwise it is O(*v*) for *v* values of the record.
public final class StateDecoder {
  private let values: RecordValues
  // Exclusivity is unchecked for speed (`restore`): no code of an app runs during an access.
  @exclusivity(unchecked) @safe private var cursor: RecordValues.EntryCursor
  private let scope: ValueScope
  /// The version of the responder's kind with which the record was written.
  public let version: Int
  /// The values that wait for their contexts.
  @exclusivity(unchecked) @safe private(set) var waiting: [WaitingValue] = []
  /// The values with references that led to nothing. Their archived bytes are kept.
  @exclusivity(unchecked) @safe private(set) var kept: [WaitingValue] = []
  /// The keys of values with references that led to nothing. `reasons` has the reason for each such
  /// reference.
  @exclusivity(unchecked) @safe
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

  /// The responder that is being restored, or the responder below which the object was added.
  public let responder: Responder

  /// Returns whether the record has a value under a key. An archived nil counts as a value.
  ///
  /// - Complexity: That of a search for the key.
  public func contains(_ key: String) -> Bool { (try? find(key)) ?? nil != nil }

  /// Returns the value under a key; nil if there is no value or if the archived value is nil. Nil
  /// also for a responder that is not in the tree; the report says so.
  ///
  /// - Throws: ``StateError`` if the value is of another type. The archived value is kept until
  ///   another value is written under the key.
  /// - Complexity: That of reading the value, and of a search for the key.
  @inlinable
  public func decode<Value: RestorableValue>(_ key: StateKey<Value>) throws -> Value? {
    guard let entry = try open(key.name) else { return nil }
    var reader = entry.reader
    do {
      let value = try Value.read(from: &reader)
      use(entry.index, key.name) { try value.write(to: &$0) }
      return value
    } catch {
      try useIfMissing(error, entry.index, key.name)
      return nil
    }
  }

  /// Returns a reader of the value under a key, and the value's index. Returns nil if there is no
  /// value, or if the value is nil.
  @usableFromInline
  func open(_ key: String) throws -> (reader: ValueReader, index: Int)? {
    guard let entry = try find(key) else { return nil }
    var reader = values.reader(entry, scope)
    guard try reader.readNil() else { return (reader, entry.index) }
    used.insert(entry.index)
    return nil
  }

  /// Notes that a value was read, so that later saves do not copy its archived bytes. They still do
  /// if references in the value led to nothing, until the value has changed. The closure writes the
  /// value.
  @usableFromInline
  func use(_ index: Int, _ key: String, _ write: ((inout ValueWriter) throws -> Void)? = nil) {
    used.insert(index)
    guard !scope.contexts.missing.isEmpty else { return }
    missing.append((key, scope.contexts.missing))
    scope.contexts.forgetNotes()
    guard let write else { return }
    kept.append(WaitingValue(key, before: scope.contexts.bytes(at: scope.responder, write)))
  }

  /// Notes that a value was read, if the given error says that a reference in it leads to nothing.
  ///
  /// - Throws: the given error in all other cases.
  @usableFromInline
  func useIfMissing(_ error: any Error, _ index: Int, _ key: String) throws {
    guard error is ReferenceIsMissing else {
      scope.contexts.forgetNotes()
      throw error
    }
    use(index, key)
  }

  /// Sets a property to the value under a key, now or as soon as the value's context is ready.
  ///
  /// ```swift
  /// try coder.whenReady("card", into: \.card, of: self)
  /// ```
  ///
  /// The property is not set if there is no value under the key. While it waits, it has the value that
  /// stands in for the archived one, if there is such a value. If the property gets another value
  /// meanwhile, that value is an edit and stays.
  ///
  /// If an object is missing, an optional property becomes nil, a collection leaves it out, and
  /// another property is not set. The report says so.
  ///
  /// - Throws: ``StateError`` if the value is of another type.
  /// - Complexity: That of reading the value, and of a search for the key.
  public func whenReady<Owner: AnyObject, Value: ContextualValue>(
    _ key: StateKey<Value>, into property: ReferenceWritableKeyPath<Owner, Value>, of owner: Owner
  ) throws {
    guard let entry = try find(key.name) else { return }
    var reader = values.reader(entry, scope)
    // Most values that have to wait are found here, without an error that is thrown and caught.
    guard !reader.isWaiting() else {
      return waiting.append(WaitingProperty(key.name, property, owner, scope))
    }
    do {
      scope.contexts.forgetNotes()
      let value = try Value.read(from: &reader)
      let isWaiting = scope.contexts.hasStandIn
      owner[keyPath: property] = value
      guard !isWaiting else {
        scope.contexts.forgetNotes()
        return waiting.append(WaitingProperty(key.name, property, owner, scope))
      }
      use(entry.index, key.name) { try value.write(to: &$0) }
    } catch is ValueIsWaiting {
      scope.contexts.forgetNotes()
      waiting.append(WaitingProperty(key.name, property, owner, scope))
    } catch {
      try useIfMissing(error, entry.index, key.name)
    }
  }

  /// Returns the context that the restored responder finds for a key.
  ///
  /// - Complexity: That of `Responder.resolve(_:from:)`.
  public func context<Key: ContextKey>(_ key: Key.Type) -> Resolution<Key.Value> {
    responder.resolve(key)
  }

  private func find(_ key: String) throws -> RecordValues.ValueEntry? {
    // The search uses a copy of the cursor, so that the search does not access the decoder.
    var next = cursor
    defer { cursor = next }
    return try values.find(key, from: &next)
  }
}

/// A value whose archived bytes are kept until it changes. It may be a property that waits for a
/// context, to get the archived value.
class WaitingValue {
  let key: String
  /// The bytes of the property's value at the beginning of the wait; nil if that value could not be
  /// written.
  let before: [UInt8]?

  init(_ key: String, before: [UInt8]?) {
    self.key = key
    self.before = before
  }

  /// Reads the archived value, and sets the property to it. If the property's value has changed
  /// since the wait began, the property stays as it is.
  ///
  /// - Returns: false if the context is still not ready.
  func decode(_ archived: ValueReader, _ scope: ValueScope) throws -> Bool { true }

  /// Returns the bytes of the property's present value; nil if it cannot be written.
  func bytes(_ scope: ValueScope) -> [UInt8]? { nil }
}

private final class WaitingProperty<Owner: AnyObject, Value: ContextualValue>: WaitingValue {
  private let property: ReferenceWritableKeyPath<Owner, Value>
  /// The owner of the property; nil if the owner is the responder that waits, or no longer exists.
  private weak var owner: Owner?
  /// Whether the owner of the property is the responder that waits. That responder needs no weak
  /// reference here, because the scope has it.
  private let isResponder: Bool

  init(
    _ key: String, _ property: ReferenceWritableKeyPath<Owner, Value>, _ owner: Owner,
    _ scope: ValueScope
  ) {
    self.property = property
    isResponder = owner === scope.responder
    if !isResponder { self.owner = owner }
    super.init(key, before: Self.bytes(owner[keyPath: property], scope))
  }

  private static func bytes(_ value: Value, _ scope: ValueScope) -> [UInt8]? {
    scope.contexts.bytes(at: scope.responder) { try value.write(to: &$0) }
  }

  override func bytes(_ scope: ValueScope) -> [UInt8]? {
    let owner = isResponder ? scope.responder as? Owner : owner
    return owner.flatMap { Self.bytes($0[keyPath: property], scope) }
  }

  override func decode(_ archived: ValueReader, _ scope: ValueScope) throws -> Bool {
    guard let owner = isResponder ? scope.responder as? Owner : owner,
      Self.bytes(owner[keyPath: property], scope) == before
    else { return true }
    do {
      var reader = archived
      let value = try Value.read(from: &reader)
      guard !scope.contexts.hasStandIn else { return false }
      owner[keyPath: property] = value
      return true
    } catch is ValueIsWaiting {
      return false
    } catch is ReferenceIsMissing {
      return true
    }
  }
}
