/// Lets a closure hear of a live list's changes for as long as somebody keeps this.
///
/// It does not keep the list, nor does the list keep it.
public final class ListObservation {
  private var end: (() -> Void)?

  /// `end` keeps what the observation lets live.
  init(end: @escaping () -> Void) { self.end = end }

  /// Ends it now; the closure is not called again.
  public func cancel() {
    end?()
    end = nil
  }
}

extension LiveList {
  struct WeakLedger {
    weak var ledger: ListLedger<Value>?
  }

  /// Calls a closure after each operation that changed rows, or the list's state.
  ///
  /// It hears of each change exactly once, when the operation is over, and its changes always lead
  /// to the rows that the list has when it is called. The changes are empty when only the `state` is
  /// another.
  ///
  /// Closures hear in the order in which they were added, and may edit, save, move a window and so
  /// on. What one of them does, those after it hear together with what it was told; it and those
  /// before it hear of it in the next round, which begins when all have heard. Other lists hear of it
  /// at once.
  ///
  /// - Returns: What somebody must keep; when it goes, the closure is not called again.
  public final func observe(
    _ hear: @escaping (_ list: LiveList, _ changes: ListChanges) -> Void
  ) -> ListObservation {
    absorb()
    let ledger = ListLedger<Value>(.closure(hear), knowsStale: problem != nil, visits)
    ledgers.append(WeakLedger(ledger: ledger))
    return ListObservation { ledger.listener = .nobody }
  }

  /// Takes note of what is about to be done to the rows.
  final func record(_ splice: @autoclosure () -> ListSplice<Value>) {
    guard !ledgers.isEmpty else { return }
    let splice = splice()
    for entry in ledgers { entry.ledger?.record(splice, on: rows) }
  }

  /// Tells everybody what they have not been told, until there is nothing more.
  final func tell() {
    guard !isTelling, !ledgers.isEmpty else { return }
    isTelling = true
    defer { isTelling = false }
    ledgers.removeAll { $0.ledger == nil }
    var hasTold = true
    while hasTold {
      hasTold = false
      for case let ledger? in ledgers.lazy.map(\.ledger) { hasTold = tell(ledger) || hasTold }
    }
  }

  private func tell(_ ledger: ListLedger<Value>) -> Bool {
    switch ledger.listener {
    case .nobody: return false
    case .loop(let wake):
      wake.call()
      return false
    case .closure(let hear):
      absorbHeard()
      guard let changes = ledger.take(rows, isStale: problem != nil) else { return false }
      hear(self, changes)
      return true
    }
  }
}
