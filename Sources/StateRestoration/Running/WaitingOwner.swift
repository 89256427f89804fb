import ResponderChain

/// A restored responder or object with values that wait for contexts.
final class WaitingOwner {
  /// A reference to the responder that does not retain it.
  private let reference: ResponderReference
  /// The waiting object; nil if a responder waits.
  let object: AddedObject?
  /// The record with the values.
  let record: Record
  /// The names of the contexts that the values need.
  let needs: [String]
  /// The values that still wait because of ``StateDecoder/whenReady(_:into:of:)``. Restorable
  /// properties read theirs when they are used.
  var values: [WaitingValue]
  /// The reason that the report gave for the record before the wait; nil if it gave none.
  var earlierReason: String?
  /// The outcome that the report gives for the record; nil if it gives none yet. A responder that was
  /// removed from the tree may be attached again.
  var outcome: RestorationReport.Outcome?
  /// The names of the needed contexts that the owner found at the last check.
  var found: [String] = []
  /// Whether the launch also calls the owner's `didFinishRestoring()`. It does not if the owner still
  /// waits at its end.
  var isToldByLaunch = true

  init(
    _ responder: Responder, _ object: AddedObject?, _ record: Record, _ needs: [String],
    _ values: [WaitingValue]
  ) {
    reference = ResponderReference(responder)
    self.object = object
    self.record = record
    self.needs = needs
    self.values = values
  }

  /// The waiting responder, or the responder below which the waiting object was added; nil if that
  /// responder no longer exists.
  var responder: Responder? { reference.responder }

  /// The ``responder``; nil if it no longer exists, or if the waiting object no longer exists or
  /// was replaced.
  var livingResponder: Responder? { object?.isAlive == false ? nil : responder }

  /// The waiting responder or object; nil if it no longer exists.
  var owner: AnyObject? { object.map(\.object) ?? responder }

  /// Returns whether the waiting responder or object is in an application's tree.
  func isInTree(of application: Application?) -> Bool {
    guard let responder = livingResponder, let application else { return false }
    return responder.application === application
  }
}
