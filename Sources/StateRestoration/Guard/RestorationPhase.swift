/// A phase of restoration. In most phases, a certain part of the app's code runs. The raw values
/// are part of the guard page's format.
package enum RestorationPhase: UInt8, Sendable, CaseIterable {
  /// No code of the app runs for the restoration.
  case idle = 0
  /// ``Restoration/ask`` runs.
  case asking = 1
  /// The changes of a kind convert a record's values.
  case migrating = 2
  /// A factory makes the responder of a record.
  case creating = 3
  /// A responder gets its archived slots.
  case replaying = 4
  /// A responder is linked and its `didAttach()` runs.
  case linking = 5
  /// The objects to which several records refer are fetched.
  case prefetching = 6
  /// A record's values are decoded.
  case decoding = 7
  /// Observers are called for a change that was made while a record was restored.
  case observing = 8
  /// ``Restoration/didDecode`` or ``Restoration/onReport`` runs.
  case telling = 9
  /// ``RestorationFinishing/didFinishRestoring()`` of a responder or object runs.
  case finishing = 10
  /// Values that have waited for a context are decoded.
  case lateDecoding = 11
  /// The restoration has ended, but the app has not confirmed the launch yet.
  case unconfirmed = 12

  /// The phase, as the end of a sentence that begins with "while".
  var text: String {
    switch self {
    case .idle: "nothing was restored"
    case .asking: "it was asked what to restore"
    case .migrating: "its values were converted"
    case .creating: "it was made"
    case .replaying: "it got its branches and blocks"
    case .linking: "it was attached"
    case .prefetching: "objects were fetched"
    case .decoding: "its values were decoded"
    case .observing: "observers were told what it has changed"
    case .telling: "the application was told"
    case .finishing: "it was told that it is restored"
    case .lateDecoding: "its waiting values were decoded"
    case .unconfirmed: "the start was not confirmed"
    }
  }
}
