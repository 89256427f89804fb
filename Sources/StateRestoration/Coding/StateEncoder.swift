public import ResponderChain

/// The writer of one responder's state, passed to
/// ``StateRestoring/encodeRestorableState(with:)``. It may be used only during that call.
public final class StateEncoder {
  // Accesses are unchecked, because a check takes longer than writing a small value. No two can
  // overlap: while a value is being written, ``isOpen`` is false, and who saves waits for its end.
  @exclusivity(unchecked) @safe var record: RecordWriter
  /// The responder whose state is written.
  public private(set) var responder: Responder?
  /// Whether a responder's method is running, and no value is being written.
  private var isOpen = false

  init(_ items: consuming ArchiveWriter, _ limits: RestorationLimits) {
    record = RecordWriter(items, limits)
  }

  /// Writes a value under a key.
  ///
  /// A value that is larger than the limit is left out and reported, and the value of the last save
  /// is kept.
  ///
  /// - Throws: the error of a value that cannot be written, or ``StateError`` if the key was used
  ///   before. The other values are not affected.
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

  /// Lets an object write its state by its method.
  func encode(_ object: any StateRestoring, at responder: Responder) throws {
    isOpen = true
    self.responder = responder
    defer {
      isOpen = false
      self.responder = nil
    }
    try object.encodeRestorableState(with: self)
  }
}
