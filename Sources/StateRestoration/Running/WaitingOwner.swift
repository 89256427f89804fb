import ResponderChain

/// A restored responder or object of which values wait for a context.
final class WaitingOwner {
  /// The responder, or the one below which the object was added.
  weak let responder: Responder?
  /// The names of the contexts that are needed.
  let needs: [String]
  /// The properties for which ``StateDecoder/whenReady(_:into:of:)`` was called.
  let values: [WaitingValue]
  /// The observations of the needed contexts, which end with the wait.
  private let observations: [ContextObservation]
  /// The index of the record in the report.
  let reportIndex: Int

  init(
    responder: Responder?, needs: [String], values: [WaitingValue],
    observations: [ContextObservation], reportIndex: Int
  ) {
    self.responder = responder
    self.needs = needs
    self.values = values
    self.observations = observations
    self.reportIndex = reportIndex
  }
}
