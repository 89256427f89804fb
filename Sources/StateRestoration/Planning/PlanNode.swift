/// One record of the plan of a launch, with its step. The records have the order of the levels of the
/// tree. Before the plan is made, no code of the app runs except ``Restoration/ask``.
struct PlanNode {
  /// The step for one record.
  enum Step {
    /// The record of the application, or of the screen that was opened, is decoded.
    case first
    /// The factory of the kind is called. If a responder with the archived path is there already,
    /// the factory gets it as ``RestorationRequest/existing``.
    case make
    /// ``Restoration/makeResponder`` is called. If it returns nil, a responder with the archived
    /// path that is there already gets the record.
    case find
    /// An added object is decoded.
    case object
    /// The record and the records below it wait until a responder with the record's identifier is
    /// attached. If it is there already, they are restored in the launch.
    case whenAttached
    /// The record is not restored. The text is the reason.
    case end(RestorationReport.Outcome, String)
  }

  let record: Record
  /// The index of the record above this record; zero for the first record.
  var parent: Int32
  var header: RecordHeader
  /// The number of earlier siblings with the same identifier.
  var ordinal: Int32 = 0
  var depth: Int32 = 0
  var step = Step.find
  /// The index of the kind plus one; zero if there is none.
  var kind: UInt16 = 0
  /// Whether this record is left out, because launches have ended in it.
  var isLeftOut = false
  /// Whether the record is not restored in this launch, because a sibling record with the same
  /// identifier has taken its place.
  var isSpare = false
  /// The indices of the records directly below this record.
  var below = 0..<0

  /// Whether the record may be kept for a later launch although nothing is wrong.
  var mayBeKept: Bool {
    switch step {
    case .whenAttached, .object: true
    default: header.carry != nil
    }
  }

  /// The outcome for the record if it is kept for a later launch.
  var keptOutcome: RestorationReport.Outcome {
    if case .end(.leftOut, _) = step { return .leftOut }
    return .carried
  }
}
