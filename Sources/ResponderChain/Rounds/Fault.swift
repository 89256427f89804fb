/// An observer that was called a hundred times in one round and was to be called again. The round
/// calls no more observers then, but still ends waits and checks branches.
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
  /// Reports the fault to the application, or to standard error if the application takes no faults.
  func report() {
    if responder.reporter?.report(self) == true { return }
    var standardError = StandardError()
    print(self, to: &standardError)
  }
}

/// The receiver of a tree's reports, which is its application.
protocol RoundReporter: AnyObject {
  /// Reports a fault to the closure that takes faults. Returns false if there is none.
  func report(_ fault: Fault) -> Bool
  /// Reports a drift to the closure that takes drifts, if there is one.
  func report(_ drift: Drift)
}

extension Responder {
  /// The receiver of reports in the responder's tree.
  final var reporter: (any RoundReporter)? {
    (attachedTree?.root ?? self) as? any RoundReporter
  }
}
