/// Background work that reads from a store. Any thread may cancel it.
package protocol CancellableWork: AnyObject, Sendable {
  /// Whether the work was cancelled.
  var isCancelled: Bool { get }
}

/// The conditions under which a context reads.
package struct ReadTerms: Sendable {
  /// Whether the reads belong together. The store must then not end their moment (read transaction)
  /// between two of them.
  package var keepsMoment = false
  /// Whether reads ignore cancellation. This is true for the reads of a save, and for reads through
  /// a property, which cannot throw.
  package var runsToEnd = false
  /// Whether what is read will not be read again by this reader. The store then need not keep it in
  /// memory.
  package var isOnce = false
  /// The background work to which the reads belong; nil if there is none. Cancelling the work or
  /// its task cancels the reads.
  package var work: (any CancellableWork)?

  package init() {}

  fileprivate var isCancelled: Bool { Task.isCancelled || work?.isCancelled == true }
}

/// A check of whether a read is cancelled.
///
/// The store creates the check when a read begins, and uses it on the reading thread. So the check
/// can ask `Task.isCancelled` of the task that reads. If the task is already cancelled when a read
/// begins, the read runs to its end, because clean-up and the last save run in such tasks.
///
/// Rejected: a flag that a cancellation handler sets. Only async functions can install a handler.
package struct ReadCancellation: Sendable {
  /// The terms of the read; nil if the read runs to its end.
  private let terms: ReadTerms?

  package init(_ terms: ReadTerms) {
    self.terms = terms.runsToEnd || terms.isCancelled ? nil : terms
  }

  package var isCancelled: Bool { terms?.isCancelled ?? false }
}
