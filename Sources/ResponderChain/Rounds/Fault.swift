/// The report of a probable mistake of the program, which no function can throw.
public struct Fault: CustomStringConvertible {
  /// A kind of mistake.
  public enum Reason: Sendable {
    /// An observer was called a hundred times in one round, and would have been called again. The
    /// round then calls no more observers, but it still ends waits and checks branches.
    case calledTooOften
    /// A task waits in an attached tree for a context that no responder provides or expects. The
    /// wait goes on. It is reported once for each key in each application.
    case notProvided
  }

  /// The responder that observes the key or waits for it.
  public let responder: Responder
  /// The key that is observed or awaited.
  public let key: any ContextKey.Type
  /// The kind of the mistake.
  public let reason: Reason

  /// A text of one line that names the key and the responder.
  public var description: String {
    switch reason {
    case .calledTooOften:
      "An observer of \(key) at \(responder.path) was called 100 times in one round of "
        + "notifications and was to be called again: a callback changes what it observes. In this "
        + "round no more observers were called; waits were ended and branches checked."
    case .notProvided:
      "A task waits for \(key) at \(responder.path), but no responder from there to the "
        + "application provides or expects it. The task waits until one does."
    }
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
