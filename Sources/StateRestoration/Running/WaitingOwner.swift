import ResponderChain

/// A restored responder or object of which values wait for a context.
struct WaitingOwner {
  /// The responder, or the one below which the object was added.
  weak let responder: Responder?
  /// The names of the contexts that are needed.
  let needs: [String]
  /// The properties for which ``StateDecoder/whenReady(_:into:of:)`` was called.
  var values: [WaitingValue]
  /// The observations of the needed contexts, which end with the wait.
  var observations: [ContextObservation]
  /// The index of the record in the report.
  let reportIndex: Int
}
