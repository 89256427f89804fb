/// Background work that reads. It may be cancelled from any thread.
package protocol CancellableWork: AnyObject, Sendable {
  /// Whether the work was cancelled.
  var isCancelled: Bool { get }
}

/// The conditions under which a context reads.
package struct ReadTerms: Sendable {
  /// Whether several reads must see one moment, which only the context ends.
  package var keepsMoment = false
  /// Whether reads cannot be cancelled. This is so for reads of a save and of a property that
  /// cannot throw.
  package var runsToEnd = false
  /// The background work that the reads are part of, besides the task in which they run.
  package var work: (any CancellableWork)?

  package init() {}

  fileprivate var isCancelled: Bool { Task.isCancelled || work?.isCancelled == true }
}

/// The check whether a read is cancelled.
///
/// It is created when the read begins, and is used by the thread that reads, so that
/// `Task.isCancelled` is about the reader's own task. A flag that a cancellation handler sets was
/// rejected, because only async functions can install a handler. A read that begins in a cancelled
/// task always runs to its end, because clean-up and the last save run there.
package struct ReadCancellation: Sendable {
  /// The terms of the read; nil if the read runs to its end.
  private let terms: ReadTerms?

  package init(_ terms: ReadTerms) {
    self.terms = terms.runsToEnd || terms.isCancelled ? nil : terms
  }

  package var isCancelled: Bool { terms?.isCancelled ?? false }
}
