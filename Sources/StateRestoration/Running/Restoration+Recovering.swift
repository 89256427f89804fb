package import Foundation
package import LineageFiles

extension Restoration {
  /// Whether the launch must be confirmed by ``confirmRestoration()``, for example when the first
  /// frame is on the screen. Set it before the launch.
  ///
  /// Until that call, the end of the process counts. If this property is false, the launch is good
  /// when all is restored and no record in which a launch has ended still waits.
  public var awaitsConfirmation: Bool {
    get { settings.awaitsConfirmation }
    set { settings.awaitsConfirmation = newValue }
  }

  /// Confirms the launch; see ``awaitsConfirmation``.
  public func confirmRestoration() { keeper.crashGuard.confirm() }

  /// Lets the next launch try the record at a path again, if earlier launches have ended in it. Call
  /// this after the launch.
  ///
  /// If something else was saved in its place meanwhile, the record gets its place again, and the
  /// other one is kept. After one more end, it is left out again.
  ///
  /// - Parameter path: the restoration identifiers on the way down from the application. The empty
  ///   path leads to the application's own record. If several siblings have the same identifier,
  ///   the path leads to all of them.
  /// - Complexity: O(*n*) for *n* records.
  public func retry(_ path: [String]) {
    let root = keeper.session.application?.mark?.record
    for record in keeper.ledger.records(at: path, below: root, andBelow: false) {
      let isStruck = keeper.crashGuard.book.strikes.contains { $0.place == record.place }
      if isStruck || record.header?.carry?.isLeftOut == true {
        keeper.crashGuard.change { $0.retry(record.place) }
      }
    }
  }

  /// Lets the next launch try again all that was left out because earlier launches have ended in it,
  /// except records in whose places something else was saved. Call this after the launch.
  public func retryAll() { keeper.crashGuard.change { $0.retryAll() } }

  /// Turns on the crash guard, which keeps its state in one page of the given file. Call this
  /// before the launch.
  package func guardCrashes(in url: URL, probe: @escaping FileStep.Probe = { _ in 0 }) {
    keeper.crashGuard.open(url, probe: probe)
  }

  /// Whether the crash guard is on.
  package var isGuarded: Bool { keeper.crashGuard.isOn }
}
