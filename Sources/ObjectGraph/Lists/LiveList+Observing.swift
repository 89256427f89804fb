/// Lets a closure hear of a live list's changes for as long as somebody keeps this.
///
/// It does not keep the list, nor does the list keep it.
public class ListObservation {
  init() {}

  /// Ends it now; the closure is not called again.
  public func cancel() {}
}

/// A closure that hears of a live list's changes.
final class ListObserver<Value: Entity>: ListObservation {
  private(set) var hear: ((LiveList<Value>, ListChanges) -> Void)?

  init(_ hear: @escaping (LiveList<Value>, ListChanges) -> Void) { self.hear = hear }

  override func cancel() { hear = nil }
}

extension LiveList {
  struct WeakObserver {
    weak var observer: ListObserver<Value>?
  }

  struct WeakLedger {
    weak var ledger: ListLedger<Value>?
  }

  /// Calls a closure after each operation that changed rows, or the list's state.
  ///
  /// It hears of each change exactly once, of all changes of one operation at once, and only when
  /// the operation is over; then the list's rows are what the changes lead to. The changes are empty
  /// when only the `state` is another.
  ///
  /// Closures hear in the order in which they were added. They may edit, and save, and so on. While
  /// they are told of one operation, the list stands still; what they have done is told to all of
  /// them, as the next operation, after the last of them has heard of the first. Other lists hear of
  /// it at once.
  ///
  /// - Returns: What somebody must keep; when it goes, the closure is not called again.
  public final func observe(
    _ hear: @escaping (_ list: LiveList, _ changes: ListChanges) -> Void
  ) -> ListObservation {
    absorb()
    // Those who are there already begin with other rows: they hear first.
    tell()
    let observer = ListObserver(hear)
    observers.append(WeakObserver(observer: observer))
    if ledger == nil { ledger = ListLedger(knowsStale: problem != nil) }
    return observer
  }

  /// Whether anybody wants to know what changes.
  final var isFollowed: Bool { ledger != nil || !ledgers.isEmpty }

  /// Takes note of what is about to be done to the rows.
  final func record(_ splice: ListSplice<Value>) {
    ledger?.record(splice, on: rows)
    for entry in ledgers { entry.ledger?.record(splice, on: rows) }
  }

  /// Tells observers what they have not been told, until there is nothing more.
  final func tell() {
    guard !isTelling else { return }
    wake()
    while let changes = ledger?.take(rows, isStale: problem != nil) {
      isTelling = true
      for entry in observers {
        if let observer = entry.observer { observer.hear?(self, changes) }
      }
      isTelling = false
      observers.removeAll { $0.observer?.hear == nil }
      if observers.isEmpty { ledger = nil }
      absorb(isRetrying: true)
      wake()
    }
  }

  private func wake() {
    guard !ledgers.isEmpty else { return }
    ledgers.removeAll { $0.ledger == nil }
    for entry in ledgers { entry.ledger?.wake?.yield() }
  }
}
