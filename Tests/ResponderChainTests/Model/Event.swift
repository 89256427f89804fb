/// One line of a log. The oracle and the subject each write a log, and the test compares the two.
enum Event: Equatable, CustomStringConvertible {
  /// A call of the closure of an observer.
  case heard(observer: Int, node: Int, key: Int, Reply)
  /// The end of queued work: at the end of a stage, the work with this number was done.
  case worked(Int)
  /// The reply of a lookup.
  case read(Reply)
  /// An error that a step has thrown.
  case refused
  /// The result of a call that delivered a value or an error.
  case delivered(Bool)
  /// The end of the responders with these numbers, because nothing retained them any more.
  case died([Int])
  /// The number of children that all branches have made so far. The event is logged when the number
  /// changes.
  case made(Int)
  /// A line about the state of the tree, during the program or at its end.
  case state(String)

  var description: String {
    switch self {
    case .heard(let observer, let node, let key, let reply):
      "o\(observer) on n\(node) hears Key<\(key)>: \(reply)"
    case .worked(let work): "w\(work) is done"
    case .read(let reply): "reads \(reply)"
    case .refused: "throws"
    case .delivered(let accepted): "returns \(accepted)"
    case .died(let nodes): "dead: " + nodes.map { "n\($0)" }.joined(separator: " ")
    case .made(let count): "\(count) children made"
    case .state(let line): line
    }
  }
}

/// A resolution for the log, in which a name replaces the context. The oracle and the subject find
/// the same name independently.
///
/// The contexts of a program have names such as `c7`, and their children names such as `c7.1`. A
/// child gets its number when the log first shows it, because the library does not promise in which
/// order it makes children.
enum Reply: Equatable, CustomStringConvertible {
  case value(String)
  case pending
  case failed(Int)
  case missing
  case blocked

  var description: String {
    switch self {
    case .value(let name): name
    case .pending: "pending"
    case .failed(let error): "failed(e\(error))"
    case .missing: "missing"
    case .blocked: "blocked"
    }
  }
}

/// A model that runs a program, one step at a time.
protocol Model: AnyObject {
  /// Runs one step and returns its visible effects.
  func perform(_ operation: Operation) -> [Event]

  /// Returns the state at the end of the program, one event for each responder.
  func finish() -> [Event]
}
