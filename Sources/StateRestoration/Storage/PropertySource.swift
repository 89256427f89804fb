import ResponderChain

/// The archive from which restorable properties read their values.
///
/// The record keeper and its present numbering share this object. A mark retains the numbering but
/// not the keeper. So a property reads its archived value from this object, without a weak
/// reference to the keeper.
final class PropertySource {
  let contexts: ContextTable
  /// The crash guard, which tells the next launch in which record this process has crashed.
  let crashGuard = CrashGuard()
  /// The archive that was saved or restored last.
  private(set) var log = ArchiveLog(generation: 0)
  /// The record from which a value was read last. It is remembered because a responder's properties
  /// are usually read one after the other.
  ///
  /// Exclusivity checking is off for speed (`restore`). This is safe because no access runs code of
  /// an app.
  @exclusivity(unchecked) @safe private var last = ReadRecord()

  init(_ contexts: ContextTable) { self.contexts = contexts }

  /// Replaces the archive.
  func replace(by newLog: ArchiveLog) {
    log = newLog
    forgetLast()
  }

  /// Forgets the record from which a value was read last, because the archive has changed.
  func forgetLast() { last.forget() }

  /// Reads the archived value of a responder's property.
  ///
  /// - Returns: false if there is no archived value.
  func read(
    _ property: PropertyCell, of record: UInt32, _ responder: Responder
  ) throws -> Bool {
    contexts.forgetMissing()
    if last.isBusy {
      // Another value is being read and uses this property. So the remembered record is busy, and
      // this property is read without it.
      guard let values = values(of: record) else { return false }
      return try Self.read(
        property, from: values, of: responder, contexts,
        crashGuard.beginRead(record, of: responder))
    }
    if !last.isOf(responder, record) {
      guard let values = values(of: record) else { return false }
      last.begin(record, values, responder, contexts)
    }
    guard var reader = last.take(property.key) else { return false }
    let guarded = crashGuard.beginRead(record, of: responder)
    defer {
      guarded?.end()
      last.putBack(reader)
    }
    try property.read(from: &reader)
    return true
  }

  /// Reads a property's value from a record, without remembering the record for the next read. Then
  /// ends the guarded read, if one is given.
  static func read(
    _ property: PropertyCell, from values: RecordValues, of responder: Responder,
    _ contexts: ContextTable, _ guarded: GuardedRead?
  ) throws -> Bool {
    defer { guarded?.end() }
    var record = ReadRecord()
    record.begin(0, values, responder, contexts)
    guard var reader = record.take(property.key) else { return false }
    try property.read(from: &reader)
    return true
  }

  private func values(of record: UInt32) -> RecordValues? {
    log.reader(of: record).flatMap { try? RecordValues($0) }
  }
}
