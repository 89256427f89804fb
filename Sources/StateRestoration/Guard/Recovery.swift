/// The end of the last launch, as the crash guard's page describes it. The page may be damaged.
struct LastEnding {
  var word: GuardWord
  var generation: UInt64
  var path: UInt64
  /// Whether the guard's state has counted this end already. This is the case if the launch that
  /// counted the end was killed before it cleared the word.
  var isCounted = false
}

/// The parts of an archive that a launch leaves out because of earlier crashes.
struct Recovery {
  /// The crash of the last launch; nil if there was none.
  var crash: RestorationCrash?
  var policy = RecoveryPolicy()
  /// The records in which launches have crashed, and which are not in quarantine yet.
  var culprits: [(id: UInt32, version: String)] = []

  /// Makes a recovery that leaves nothing out.
  init() {}

  /// Finds out how the last launch has ended, and updates the guard's state.
  ///
  /// The state then has the crashed records, with their numbers in the present archive. If the app
  /// has another version now, the state has no crashed records, because the new version tries all
  /// records again.
  init(
    from ending: LastEnding, _ state: inout GuardState, _ log: ArchiveLog, _ version: String,
    retriesQuarantined: Bool = false
  ) {
    let hasRetried = state.retriesQuarantined
    state.retriesQuarantined = retriesQuarantined
    let isSameVersion = state.version == version
    var suspects = isSameVersion ? state.culprits : []
    if !isSameVersion { state.policy = RecoveryPolicy() }
    let end = ending.word.content
    if let end {
      suspects.append(
        Culprit(
          generation: ending.generation, record: end.record,
          // Between two calls of the app's code, the page has the path of an earlier call.
          path: end.phase == .unconfirmed ? 0 : ending.path, phase: end.phase,
          version: state.version))
    }
    (state.culprits, state.version) = ([], version)
    // The search is needed only after a crash.
    if !suspects.isEmpty {
      let search = CulpritSearch(in: log)
      var hasNewCulprit = false
      for (index, suspect) in suspects.enumerated() {
        let found = search.find(suspect)
        let isLast = end != nil && index == suspects.count - 1
        if isLast {
          crash = RestorationCrash(
            path: found.first?.path, activity: suspect.phase.text, appVersion: suspect.version)
        }
        guard isSameVersion, !isLast || !ending.isCounted else { continue }
        for record in found where record.quarantine != version || isLast && hasRetried {
          guard !culprits.contains(where: { $0.id == record.id }) else { continue }
          culprits.append((record.id, suspect.version))
          state.culprits.append(
            Culprit(
              generation: log.generation, record: record.id, path: record.pathHash,
              phase: suspect.phase, version: suspect.version))
          if isLast { hasNewCulprit = true }
        }
      }
      if let end, isSameVersion, !ending.isCounted {
        state.policy.noteCrash(in: end.phase, hasNewCulprit: hasNewCulprit)
      }
    }
    policy = state.policy
  }
}
