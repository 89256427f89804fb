/// The report of an observer that was called a hundred times in one round, and would have been
/// called again. The round then calls no more observers, but it still ends waits and checks
/// branches.
public struct Fault: CustomStringConvertible {
  /// The responder whose observer was called.
  public let responder: Responder
  /// The key that was observed.
  public let key: any ContextKey.Type

  /// A sentence that names the key and the responder.
  public var description: String {
    "An observer of \(key) at \(responder.path) was called 100 times in one round of "
      + "notifications and was to be called again: a callback changes what it observes. In this "
      + "round no more observers were called; waits were ended and branches checked."
  }
}

extension Fault {
  /// Reports the fault to the application, or to standard error if ``Application/onFault`` is not
  /// set.
  func report() {
    if responder.reporter?.report(self) == true { return }
    var standardError = StandardError()
    print(self, to: &standardError)
  }
}

/// The receiver of the reports of a tree. It is the tree's application.
protocol RoundReporter: AnyObject {
  /// Reports a fault to ``Application/onFault``. Returns false if this closure is not set.
  func report(_ fault: Fault) -> Bool
  /// Reports a drift to ``Application/onDrift``, if this closure is set.
  func report(_ drift: Drift)
}

extension Responder {
  /// The receiver of reports in the responder's tree; nil in a tree without an application.
  final var reporter: (any RoundReporter)? {
    (attachedTree?.root ?? self) as? any RoundReporter
  }
}
