/// One line of the log that the oracle and the subject both write; equal logs are the whole test.
enum Event: Equatable, CustomStringConvertible {
  /// An observer's closure ran.
  case heard(observer: Int, node: Int, key: Int, Reply)
  /// The work at the end of a stage was done.
  case worked(Int)
  /// A lookup returned.
  case read(Reply)
  /// A step threw.
  case refused
  /// A delivery returned.
  case delivered(Bool)
  /// The responders whose last owner let go of them.
  case died([Int])
  /// The number of children that all branches have made, when that changed.
  case made(Int)
  /// A line about the state in which a program ended.
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

/// A resolution with its context replaced by a name that both sides find by themselves.
///
/// A context of the program is `c7`; children are numbered in the order in which the log first
/// mentions them, `c7.1`, since in what order unmentioned ones were made is nobody's promise.
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

/// A model on which a program is done, one step at a time.
protocol Model: AnyObject {
  /// Does one step and returns what could be seen of it.
  func perform(_ operation: Operation) -> [Event]

  /// Returns the state at the end, line by line.
  func finish() -> [Event]
}
