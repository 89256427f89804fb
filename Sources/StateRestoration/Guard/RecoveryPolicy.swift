/// The rule that decides how much a launch restores, after a number of crashes in a row.
///
/// The policy is a value without side effects. A launch first notes how the last launch has ended,
/// and then restores the part that ``step`` names. When the launch has succeeded,
/// ``noteGoodStart()`` is called.
package struct RecoveryPolicy: Equatable, Sendable {
  /// The part of an archive that a launch restores. The raw values are part of the guard page's
  /// format.
  package enum Step: UInt8, Sendable, Comparable, CaseIterable {
    /// All records, except those in quarantine.
    case all = 0
    /// All records, except those in quarantine and the record in which the last launch has crashed.
    case withoutCulprit = 1
    /// All records, except those in quarantine and the records in which the last launches have
    /// crashed.
    case withoutCulprits = 2
    /// The application's own record only.
    case minimum = 3
    /// Nothing. All archives are moved away.
    case nothing = 4

    package static func < (one: Step, other: Step) -> Bool { one.rawValue < other.rawValue }

    /// The step after one more crash.
    var next: Step { Step(rawValue: rawValue + 1) ?? .nothing }
  }

  /// The part of the archive that the present launch restores.
  package private(set) var step = Step.all
  /// Whether ``Restoration/ask`` is called. After a crash in that closure, the closure is not
  /// called until the app has another version.
  package private(set) var asks = true
  /// Whether objects are fetched together before the values are decoded. After a crash in such a
  /// fetch, this is off until the app has another version. Each value then fetches its own object,
  /// so that the next crash names a record.
  package private(set) var prefetches = true

  /// Whether the present step was reached by a crash that named no new culprit. A culprit is a
  /// record in which a launch has crashed.
  private(set) var lacksCulprit = false
  /// Whether all records are restored again, after a launch that has succeeded with the
  /// application's own record only. That launch had left out the other records because of a crash
  /// without a new culprit. If such a crash happens again, the step becomes ``Step/nothing``.
  /// Otherwise, a crash that comes back each time would end every second launch.
  private(set) var triesAgain = false

  package init() {}

  /// Notes that the last launch has ended in a phase of restoration.
  ///
  /// `hasNewCulprit` is true if the record in which the launch has crashed is known, and is not
  /// left out already.
  package mutating func noteCrash(in phase: RestorationPhase, hasNewCulprit: Bool) {
    switch phase {
    case .idle: return
    case .asking where asks:
      asks = false
      step = step.next
    case .prefetching where prefetches:
      prefetches = false
      step = step.next
    case .unconfirmed:
      // The program may have been killed without a fault. So the first such end after a success
      // leaves out nothing more, and a second one in a row leads to the minimum.
      let next = step == .all ? .withoutCulprits : step.next
      if next < .minimum { step = next } else { leaveOutAll(next) }
    default:
      // Without a new culprit, no more records would be left out than before. The next launch would
      // then crash again.
      if hasNewCulprit { step = step.next } else { leaveOutAll(max(step.next, .minimum)) }
    }
  }

  /// Sets the step to the given one after a crash without a new culprit; to ``Step/nothing`` if
  /// ``triesAgain`` is true.
  private mutating func leaveOutAll(_ next: Step) {
    step = triesAgain ? .nothing : next
    lacksCulprit = true
  }

  /// Notes that the launch has succeeded. Records in quarantine stay there.
  package mutating func noteGoodStart() {
    triesAgain = step == .minimum && lacksCulprit
    lacksCulprit = false
    step = .all
  }
}

extension RecoveryPolicy {
  /// The properties of the policy except its step, with a bit for each. The bits are part of the
  /// guard page's format.
  var flags: UInt8 {
    (asks ? 0 : 1) | (prefetches ? 0 : 2) | (lacksCulprit ? 4 : 0) | (triesAgain ? 8 : 0)
  }

  init(step: Step, flags: UInt8) {
    self.step = step
    asks = flags & 1 == 0
    prefetches = flags & 2 == 0
    lacksCulprit = flags & 4 != 0
    triesAgain = flags & 8 != 0
  }
}
