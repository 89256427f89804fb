/// Background work that reads and that any thread may cancel.
package protocol CancellableWork: AnyObject, Sendable {
  /// Whether the work was cancelled.
  var isCancelled: Bool { get }
}

/// The conditions under which a context reads.
package struct ReadTerms: Sendable {
  /// Whether reads belong together, so that only the context may end their moment (read
  /// transaction).
  package var keepsMoment = false
  /// Whether reads ignore cancellation. It is true for reads of a save and of a property that
  /// cannot throw.
  package var runsToEnd = false
  /// The background work to which the reads belong; nil if there is none. Cancelling the work or
  /// its task cancels the reads.
  package var work: (any CancellableWork)?

  package init() {}

  fileprivate var isCancelled: Bool { Task.isCancelled || work?.isCancelled == true }
}

/// A check whether a read is cancelled.
///
/// The check is created when the read begins, and the reading thread uses it, so that
/// `Task.isCancelled` concerns the reader's own task. Rejected: a flag set by a cancellation
/// handler, because only async functions can install one. A read that begins in a cancelled task
/// always runs to its end, because clean-up and the last save run there.
package struct ReadCancellation: Sendable {
  /// The terms of the read; nil if the read runs to its end.
  private let terms: ReadTerms?

  package init(_ terms: ReadTerms) {
    self.terms = terms.runsToEnd || terms.isCancelled ? nil : terms
  }

  package var isCancelled: Bool { terms?.isCancelled ?? false }
}
