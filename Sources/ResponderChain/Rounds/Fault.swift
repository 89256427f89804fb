/// An observer that was called more than a hundred times in one round, which ended it.
public struct Fault: CustomStringConvertible {
  /// The responder that observes.
  public let responder: Responder
  /// The key that it observes.
  public let key: any ContextKey.Type

  /// One sentence that names the key and the responder.
  public var description: String {
    "An observer of \(key) at \(responder.path) was called more than 100 times in one round of "
      + "notifications: a callback changes what it observes. The round was ended."
  }
}

extension Fault {
  /// Reports the fault to the application, or to standard error.
  func report() {
    if responder.reporter?.report(self) == true { return }
    var standardError = StandardError()
    print(self, to: &standardError)
  }
}

/// The receiver of a tree's reports: its application.
protocol RoundReporter: AnyObject {
  /// Returns whether there was anything to report the fault to.
  func report(_ fault: Fault) -> Bool
  func report(_ drift: Drift)
}

extension Responder {
  /// The receiver of reports of the responder's tree.
  final var reporter: (any RoundReporter)? {
    (attachedTree?.root ?? self) as? any RoundReporter
  }
}
