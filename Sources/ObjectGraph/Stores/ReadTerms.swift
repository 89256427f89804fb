/// Work that reads, and that may be cancelled from any thread meanwhile.
package protocol CancellableWork: AnyObject, Sendable {
  /// Whether nobody wants its result any more.
  var isCancelled: Bool { get }
}

/// The terms on which a context reads.
package struct ReadTerms: Sendable {
  /// Whether several reads are to see one moment, which only the context ends.
  package var keepsMoment = false
  /// Whether nothing ends what is read: a save reads it, or a property that cannot throw.
  package var runsToEnd = false
  /// The background work that the reads are part of, beside the task in which they run.
  package var work: (any CancellableWork)?

  package init() {}

  fileprivate var isCancelled: Bool { Task.isCancelled || work?.isCancelled == true }
}

/// Tells one read that nobody wants it any more.
///
/// It is made when the read begins, and asked by the thread that reads, so that the task is the
/// reader's own. A read that begins when its task is cancelled already is never ended, because
/// clean-up and the last save run there.
package struct ReadCancellation: Sendable {
  /// Nil if the read runs to its end.
  private let terms: ReadTerms?

  package init(_ terms: ReadTerms) {
    self.terms = terms.runsToEnd || terms.isCancelled ? nil : terms
  }

  package var isCancelled: Bool { terms?.isCancelled ?? false }
}
