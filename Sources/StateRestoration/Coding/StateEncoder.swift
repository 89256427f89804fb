public import ResponderChain

/// The writer of the state of one responder or added object, passed to
/// ``StateRestoring/encodeRestorableState(with:)``. Use it only during that call.
public final class StateEncoder {
  // Exclusivity is unchecked for speed (`save`): accesses cannot overlap. While a value is being
  // written, ``isOpen`` is false, and the save itself uses the record only before and after the
  // value is written.
  @exclusivity(unchecked) @safe var record: RecordWriter
  /// The responder that is being saved, or the responder below which the object was added.
  public var responder: Responder? { record.items.values.responder }
  /// Whether values may be written now. This is true while a method of a responder or object is
  /// running, except while a value is being written.
  private var isOpen = false

  init(
    _ items: consuming ArchiveWriter, _ limits: RestorationLimits, _ contexts: ContextTable
  ) {
    record = RecordWriter(items, limits)
    record.items.values.contexts = contexts
  }

  /// Returns the context that ``responder`` finds for a key.
  ///
  /// - Complexity: That of `Responder.resolve(_:from:)`.
  public func context<Key: ContextKey>(_ key: Key.Type) -> Resolution<Key.Value> {
    responder?.resolve(key) ?? .missing
  }

  /// Writes a value under a key.
  ///
  /// A value that cannot be written, or has more bytes than ``RestorationLimits/valueBytes``, is not
  /// written. The archived value is then kept, and the report says so.
  ///
  /// - Throws: ``StateError`` if the key was used before. The other values are not affected.
  /// - Complexity: That of ``StateValue/write(to:)``.
  @inlinable
  public func encode<Value: StateValue>(_ value: Value, for key: StateKey<Value>) throws {
    try encode(key.name) { try value.write(to: &$0) }
  }

  @usableFromInline
  func encode(_ key: String, _ write: (inout ValueWriter) throws -> Void) throws {
    precondition(
      isOpen,
      "A StateEncoder was used after encodeRestorableState(with:), or by a value that it writes.")
    isOpen = false
    defer { isOpen = true }
    try record.write(key, write)
  }

  /// Calls the method by which an object writes its state.
  func encode(_ object: any StateRestoring) throws {
    isOpen = true
    defer { isOpen = false }
    try object.encodeRestorableState(with: self)
  }
}
