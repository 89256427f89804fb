package import ResponderChain

/// The state of a restored property. It is the property's projected value, as in `$card.missing`.
public struct RestorableStatus<Value> {
  private let cell: ValueCell<Value>
  private let owner: Responder
  /// The class that declares the property.
  private let type: Any.Type

  init(_ cell: ValueCell<Value>, _ owner: Responder, _ type: Any.Type) {
    (self.cell, self.owner, self.type) = (cell, owner, type)
  }

  /// Whether the archived value waits for a context.
  ///
  /// - Complexity: That of reading the property, and of a search of the record for the key.
  public var isWaiting: Bool {
    guard let record = readRecord(), !cell.phase.isFinal, cell.phase != .unreadable,
      owner.mark?.isDecoded == true, let values = record.values
    else { return false }
    var cursor = values.first
    return cell.key.withText { (try? values.find($0, from: &cursor)) ?? nil } != nil
  }

  /// The reasons why archived objects could not be found, one for each object.
  ///
  /// - Complexity: That of reading the property.
  public var missing: [String] {
    guard let record = readRecord(), cell.phase.isFinal || cell.phase == .unreadable else {
      return []
    }
    return record[missing: cell.key.name]
  }

  /// Reads the property, and returns the record with its archived value; nil if there is none.
  private func readRecord() -> Record? {
    if !cell.phase.isFinal { cell.read(from: owner, type) }
    guard let record = owner.mark?.record, !record.home.isEnded else { return nil }
    return record
  }
}

extension RestorableStatus where Value: ContextualValue {
  /// The part of the value that the property keeps for the time before the value's context is there;
  /// nil if it keeps none.
  ///
  /// It is the part of the present value. While the value waits for its context, or is missing, it is
  /// the part that was archived with it.
  ///
  /// - Complexity: That of reading the property.
  public var kept: Value.Early? {
    _ = readRecord()
    return (cell as? ContextualCell)?.kept
  }

  /// Calls the closure with the responder and the value: now, after each set, and after the archived
  /// value was read. That value is then read as soon as its context is there, even if nothing uses the
  /// property. The last argument says that the archived value is a reference that leads to nothing.
  ///
  /// The responder retains the closure, which must therefore not capture the responder.
  package func follow(_ hear: @escaping (Responder, Value, _ isGone: Bool) -> Void) {
    guard let cell = cell as? ContextualCell else { return }
    _ = readRecord()
    cell.insert(in: owner, type)
    cell.add(hear)
    hear(owner, cell.value, cell.isGone)
  }
}
