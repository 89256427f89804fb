package import Foundation
package import LineageFiles

extension Restoration {
  /// Whether the launch also restores the records in which earlier launches have crashed, for
  /// example because the user has asked for that. The default is false. Set it before the launch.
  ///
  /// The record in which the last launch has crashed is left out in any case.
  public var retriesQuarantined: Bool {
    get { engine.retriesQuarantined }
    set { engine.retriesQuarantined = newValue }
  }

  /// Whether the launch is a success only when ``confirmRestoration()`` is called, for example when
  /// the first frame is on the screen. Set it before the launch.
  ///
  /// Until that call, the end of the process counts as a crash. If this property is false, the
  /// launch is a success when all responders are restored and none waits for a context.
  public var awaitsConfirmation: Bool {
    get { engine.awaitsConfirmation }
    set { engine.awaitsConfirmation = newValue }
  }

  /// Notes that the launch is a success. Earlier crashes do not count any more. The records in
  /// which launches have crashed stay in quarantine.
  public func confirmRestoration() { engine.crashGuard.confirm() }

  /// Turns on the crash guard, which keeps its state in one page of the given file. Call this
  /// before the launch.
  ///
  /// The `write` closure writes the archive to the disk before any code of the app runs, and
  /// returns whether the archive was written.
  package func guardCrashes(
    in url: URL, probe: @escaping FileStep.Probe = { _ in 0 },
    write: @escaping (StateArchive) -> Bool = { _ in false }
  ) {
    engine.crashGuard.open(url, probe: probe)
    engine.writeAtOnce = write
  }

  /// Whether the crash guard is on.
  package var isGuarded: Bool { engine.crashGuard.isOn }
}
