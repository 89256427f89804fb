import ResponderChain

/// A restored responder or object whose values wait for contexts.
final class WaitingOwner {
  /// The progress of a wait.
  enum WaitProgress {
    /// Values wait, and the responder is in the tree.
    case waiting
    /// Values wait, and the responder was removed from the tree. It may come back.
    case removed
    /// All values are decoded.
    case settled
  }

  /// The responder, or the one below which the object was added.
  private(set) weak var responder: Responder?
  /// The object; nil for a responder.
  let object: AddedObject?
  /// The number of the record.
  var record: UInt32
  /// The names of the contexts that are needed.
  let needs: [String]
  /// The values for which ``StateDecoder/whenReady(_:into:of:)`` was called and that still wait.
  var values: [WaitingValue]
  /// The observations of the needed contexts, which end with the wait.
  var observations: [ContextObservation] = []
  /// The index of the record in the report.
  let line: Int
  /// The reason that the record's line had before the wait.
  var earlierReason: String?
  var progress = WaitProgress.waiting
  /// Whether the run that has decoded the record tells the owner that it is restored. The run does
  /// so only if the wait has ended by then; otherwise, the end of the wait does.
  var isToldByRun = true

  init(
    _ responder: Responder, _ object: AddedObject?, _ record: UInt32, _ needs: [String],
    _ values: [WaitingValue], _ line: Int
  ) {
    self.responder = responder
    self.object = object
    self.record = record
    self.needs = needs
    self.values = values
    self.line = line
  }

  /// The responder; nil if it or the object has ended.
  var livingResponder: Responder? { object?.isAlive == false ? nil : responder }

  /// Returns whether the responder and the object are in an application's tree.
  func isInTree(of application: Application?) -> Bool {
    guard let responder = livingResponder, let application else { return false }
    return responder.application === application
  }
}
