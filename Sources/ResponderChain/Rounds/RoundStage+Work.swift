extension RoundStage {
  /// Queues work for the end of this stage of the current round. The stage ends when no listener of
  /// this stage, or of the stage before, is queued any more.
  ///
  /// Changes that the work makes join the round, and the listeners that they concern are called
  /// before any further work. Work of one stage is done in the order in which it was queued, even
  /// after a ``Fault``. The last stage ends before drifts are reported.
  ///
  /// Outside a round the work is done at once, in a round of its own. Work that always queues
  /// further work never ends.
  package func atEnd(_ work: @escaping () -> Void) {
    Round.atEnd(of: self, work)
  }
}

/// The work that a round does at the end of a stage. It is a subclass of ``Listener``, so that the
/// round's queue can have it as a member. Its order puts it after all listeners of the stage.
final class StageWork: Listener {
  private enum NoKey: ContextKey { typealias Value = Never }

  /// The queued work. Work that was done already is nil.
  private var queued: [(() -> Void)?] = []
  /// The index in ``queued`` of the work that is done next.
  private var next = 0

  init(at stage: RoundStage) { super.init(.work, Erased<NoKey>.self, stage: stage) }

  var isEmpty: Bool { queued.isEmpty }

  func append(_ work: @escaping () -> Void) { queued.append(work) }

  /// Removes and returns the work that was queued first; nil if there is none.
  func takeFirst() -> (() -> Void)? {
    guard next < queued.count else { return nil }
    let work = queued[next].take()
    next += 1
    if next == queued.count { (queued, next) = ([], 0) }
    return work
  }
}
