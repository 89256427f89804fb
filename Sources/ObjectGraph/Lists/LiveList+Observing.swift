extension LiveList {
  struct WeakLedger {
    weak var ledger: ListLedger<Value>?
  }

  /// Calls a closure after each operation that changed the rows or the list's state.
  ///
  /// The closure gets each change exactly once, when the operation is over. Applying the changes to
  /// the rows of the closure's last call gives the current rows. The changes are empty if only
  /// ``state`` or ``isComplete`` changed.
  ///
  /// Closures are called in the order in which they were added. A closure may edit objects, save,
  /// or move a window. Then the closures after it get the new changes together with the earlier
  /// ones. When the observers of all lists, objects and values have been called, they hear of the
  /// new changes too.
  ///
  /// - Returns: A token. The closure is called until the token is released.
  /// - Complexity: O(1), after the list has applied the changes since the last access; see
  ///   ``LiveList``. The first access in a moment (read transaction) also asks the store for
  ///   commits of other contexts and processes.
  public final func observe(
    _ hear: @escaping (_ list: LiveList, _ changes: ListChanges) -> Void
  ) -> ObjectObservation {
    absorb()
    let ledger = ListLedger<Value>(.closure(hear), knowing: standing, visits)
    ledgers.append(WeakLedger(ledger: ledger))
    return ObjectObservation { ledger.listener = .nobody }
  }

  /// Records, for all observers, the rows that a splice removes and inserts. The function must be
  /// called before the splice is applied.
  final func record(_ splice: @autoclosure () -> ListSplice<Value>) {
    guard !ledgers.isEmpty else { return }
    let splice = splice()
    for entry in ledgers { entry.ledger?.record(splice, on: rows) }
  }

  /// Calls observers with the changes that they have not got yet.
  final func callObservers() {
    guard !ledgers.isEmpty else { return }
    isTelling = true
    defer { isTelling = false }
    ledgers.removeAll { $0.ledger == nil }
    for entry in ledgers {
      if let ledger = entry.ledger { callObserver(ledger) }
    }
  }

  private func callObserver(_ ledger: ListLedger<Value>) {
    switch ledger.listener {
    case .nobody: break
    case .loop(let wake): wake.call()
    case .closure(let hear):
      absorbHeard()
      guard let changes = ledger.take(rows, standing) else { return }
      hear(self, changes)
    }
  }
}
