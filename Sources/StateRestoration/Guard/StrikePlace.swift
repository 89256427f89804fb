/// A part of a restoration in which a process can end: a record, or a phase that concerns no single
/// record.
package struct StrikePlace: Hashable, Sendable {
  /// The number by which the page names the place. For a record, this is that of its id.
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package init(_ record: RecordID) { number = record.number }

  /// No place: no code of the app runs, and no confirmation is missing.
  package static let none = StrikePlace(0)
  /// The closure ``Restoration/ask`` runs.
  package static let asking = StrikePlace(1)
  /// The objects to which several records refer are fetched.
  package static let prefetching = StrikePlace(2)
  /// The closure ``Restoration/didDecode`` runs.
  package static let decoded = StrikePlace(3)
  /// The closure ``Restoration/onReport`` runs.
  package static let reported = StrikePlace(4)
  /// No code of the app runs, but the app has not confirmed the launch yet.
  package static let unconfirmed = StrikePlace(5)
  /// The application's own record.
  package static let application = StrikePlace(RecordID.application)

  /// Whether the place is a record. The numbers up to 15 are for phases.
  package var isRecord: Bool { number > 15 }

  /// The number of strikes with which a launch leaves out the place.
  var limit: Int { self == .prefetching ? 1 : 2 }

  /// The work in the place, as the end of a sentence that begins with "while".
  package var work: String {
    switch self {
    case .asking: "it was asked what to restore"
    case .prefetching: "objects were fetched"
    case .decoded: "it was told that all is decoded"
    case .reported: "it was given the report"
    case .unconfirmed: "the launch was not confirmed"
    default: "a record was restored"
    }
  }
}
