import StateRestoration
import Testing

@Suite("What a launch leaves out after crashes")
struct RecoveryPolicyTests {
  /// A way in which a launch ends.
  private enum LaunchEnd: CaseIterable {
    case good, killedBetween, newCulprit, knownCulprit, asking, prefetching, telling, unconfirmed

    /// Records the end in a policy, as the next launch would.
    func note(in policy: inout RecoveryPolicy) {
      switch self {
      case .good: policy.noteGoodStart()
      case .killedBetween: policy.noteCrash(in: .idle, hasNewCulprit: false)
      case .newCulprit: policy.noteCrash(in: .decoding, hasNewCulprit: true)
      case .knownCulprit: policy.noteCrash(in: .decoding, hasNewCulprit: false)
      case .asking: policy.noteCrash(in: .asking, hasNewCulprit: false)
      case .prefetching: policy.noteCrash(in: .prefetching, hasNewCulprit: false)
      case .telling: policy.noteCrash(in: .telling, hasNewCulprit: false)
      case .unconfirmed: policy.noteCrash(in: .unconfirmed, hasNewCulprit: false)
      }
    }

    var isCrash: Bool { self != .good && self != .killedBetween }
  }

  @Test("Four crashes with culprits lead to a launch that restores nothing, one step for each")
  func steps() {
    var policy = RecoveryPolicy()
    var steps = [policy.step]
    for _ in 0..<6 {
      policy.noteCrash(in: .decoding, hasNewCulprit: true)
      steps.append(policy.step)
    }
    #expect(
      steps == [
        .all, .withoutCulprit, .withoutCulprits, .minimum, .nothing, .nothing, .nothing,
      ])
  }

  @Test("A crash without a new culprit is not tried again with the same records")
  func unnamed() {
    for phase in RestorationPhase.allCases
    where ![.idle, .asking, .prefetching, .unconfirmed].contains(phase) {
      var policy = RecoveryPolicy()
      policy.noteCrash(in: phase, hasNewCulprit: false)
      #expect(policy.step == .minimum, "\(phase)")
    }
  }

  @Test("A crash of the question or of a prefetch leaves that out, and restores all")
  func skipping() {
    var policy = RecoveryPolicy()
    policy.noteCrash(in: .asking, hasNewCulprit: false)
    #expect(!policy.asks && policy.prefetches)
    #expect(policy.step == .withoutCulprit)
    policy.noteCrash(in: .prefetching, hasNewCulprit: false)
    #expect(!policy.asks && !policy.prefetches)
    #expect(policy.step == .withoutCulprits)
    policy.noteGoodStart()
    #expect(!policy.asks && !policy.prefetches)
    policy.noteCrash(in: .prefetching, hasNewCulprit: false)
    #expect(policy.step == .minimum)
  }

  @Test("The first unconfirmed end restores all again, the second one the minimum")
  func unconfirmed() {
    var policy = RecoveryPolicy()
    var steps: [RecoveryPolicy.Step] = []
    for _ in 0..<3 {
      policy.noteCrash(in: .unconfirmed, hasNewCulprit: false)
      steps.append(policy.step)
    }
    #expect(steps == [.withoutCulprits, .minimum, .nothing])
  }

  @Test("All sequences of six ends keep the laws of the steps")
  func allSequences() {
    let ends = LaunchEnd.allCases
    var count = 0
    for number in 0..<(0..<6).reduce(1, { total, _ in total * ends.count }) {
      var rest = number
      var policy = RecoveryPolicy()
      var crashes = 0
      for _ in 0..<6 {
        let end = ends[rest % ends.count]
        rest /= ends.count
        let before = policy
        end.note(in: &policy)
        count += 1
        if end.isCrash {
          crashes += 1
          // After each crash in a row, the next launch leaves out more records, and finally all of
          // them.
          guard policy.step > before.step || before.step == .nothing else {
            Issue.record("Sequence \(number): \(end) left the step at \(before.step).")
            return
          }
        } else if end == .good {
          crashes = 0
          guard policy.step == .all else {
            Issue.record("Sequence \(number): a good start left the step at \(policy.step).")
            return
          }
        } else if policy != before {
          Issue.record("Sequence \(number): a kill between calls has counted.")
          return
        }
        // A policy that no longer asks or prefetches does not begin again to do so.
        guard !(policy.asks && !before.asks), !(policy.prefetches && !before.prefetches),
          crashes >= 4 ? policy.step == .nothing : true,
          crashes == 0 ? policy.step == .all : true
        else {
          Issue.record("Sequence \(number): \(policy) after \(before) and \(end).")
          return
        }
      }
    }
    #expect(count == 6 * 262_144)
  }
}
