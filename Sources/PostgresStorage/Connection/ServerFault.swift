#if Postgres
import ObjectGraph

/// An error that the server, or the way to it, has reported.
struct ServerFault: Error {
  /// The five letters and digits by which the server names the error; empty if the connection is lost,
  /// because nobody told why.
  let state: String
  let message: String
  /// The name of the constraint that a row breaks; empty if there is none.
  var constraint = ""
  /// The table of the constraint, with its schema; empty if there is none.
  var table = ""
  /// Whether the connection cannot be used any more.
  var isLost = false
  /// Whether the task that has read was cancelled.
  var wasCancelled = false

  /// Makes the fault of a connection that does not answer.
  static func lost(_ message: String) -> ServerFault {
    ServerFault(state: "", message: message, isLost: true)
  }

  var isConflict: Bool { state == "22012" }
  var isUniqueness: Bool { state == "23505" }
  var isTooLarge: Bool { state == "54000" }
  /// Returns whether the log has refused a commit, because the program or the commit is too old.
  func isRefused(by options: PostgresOptions) -> Bool {
    state == "23502" && table == "\(options.ownSchema).log"
  }
  var isForeignKey: Bool { state == "23503" }
  /// Whether the server has undone the transaction in favour of another one, so that it may be
  /// repeated.
  var isTurnedAway: Bool { state == "40P01" || state == "40001" }
  /// Whether the server takes no connection now, but may soon: it has too many, or it starts or ends. A
  /// server that recovers from a crash also ends connections without a word. Only those who make a
  /// connection ask this.
  ///
  /// If a connection cannot be made, libpq has only the text, in the server's language. Others than English
  /// are not recognized.
  var isForNow: Bool {
    ["53300", "57P03"].contains(state)
      || isLost && state.isEmpty
        && [
          "too many", "starting up", "shutting down", "in recovery mode", "accepting connections",
          "closed the connection unexpectedly",
        ].contains(where: message.contains)
  }
  /// Whether the tables have changed since the program opened the store. The log refuses the commit of a
  /// program that has become too old by a null, and so does a column that the program does not know.
  var isStale: Bool { ["0A000", "42703", "42P01", "23502"].contains(state) }

  /// Returns the error to throw for an attempt.
  func error(_ attempted: String, _ options: PostgresOptions) -> GraphError {
    let reason: GraphError.Reason =
      switch state {
      case "55P03": .timeout(seconds: options.lockTimeout)
      case "57014" where wasCancelled: .cancelled
      case "57014": .tooSlow("the server took more than \(options.statementTimeout) s")
      case "53100", "53200": .full
      case "25006": .readOnly
      case "": .inputOutput("the server does not answer: \(message)")
      default: .store(code: state, message)
      }
    return GraphError(attempted, reason)
  }
}
#endif
