import ResponderChain

/// The numbers that one archive gives to the records of a tree.
///
/// Each full save and each restoration begins another numbering. A mark retains the numbering that
/// gave its record a number. So a numbering lives as long as the record keeper or a mark uses it.
class Numbering {
  /// The object that keeps the records; nil before ``begin(by:)``, and after that object was
  /// deallocated.
  private(set) weak var keeper: RecordKeeper?

  /// The archive with the records; nil if the record keeper has begun another numbering since.
  private var source: PropertySource?

  /// The registered contexts; nil if neither the archive nor the record keeper is there any more.
  final var contexts: ContextTable? { source?.contexts ?? keeper?.contexts }

  /// Makes this numbering the present numbering of a record keeper.
  final func begin(by keeper: RecordKeeper) {
    self.keeper = keeper
    source = keeper.source
  }

  /// Notes that the record keeper begins another numbering.
  final func end() { source = nil }

  /// Reads the archived value of a responder's property. `mark` is the mark of the responder.
  ///
  /// - Returns: false if there is no archived value.
  final func read(
    _ property: PropertyCell, of mark: Mark, _ responder: Responder
  ) throws -> Bool {
    if let source { return try source.read(property, of: mark.record, responder) }
    guard let keeper, let values = keeper.values(of: mark) else { return false }
    keeper.contexts.forgetMissing()
    // In the present archive, the record has another number or is missing.
    return try PropertySource.read(
      property, from: values, of: responder, keeper.contexts,
      keeper.crashGuard.beginRead(GuardWord.noRecord, of: responder))
  }
}
