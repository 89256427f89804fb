import ResponderChain

/// An object that saves the state of an application after changes, without a call by the app.
///
/// A save begins 0.25 seconds after the first change. Later changes do not delay it. The state is
/// encoded in the tree's isolation, where only the records that have changed are encoded anew, and
/// written on another thread. When `enterBackground()` or `terminate()` is called, the whole state is encoded
/// and written before the call returns.
///
/// The keeper retains the autosaver.
final class Autosaver {
  private unowned let keeper: Keeper
  let storage: any StateStorage
  private let clock: any SaveClock
  /// The writer of archives; nil before the launch, and if nothing is saved.
  private var writer: StateWriter?
  /// The reason why nothing is saved; nil if the state is saved.
  private var refusal: String?
  /// Whether the application has terminated.
  private var isEnded = false
  /// Whether the state was loaded for the launch.
  private var hasLaunched = false
  /// Whether the launch brings back the archives that were kept, because the app has asked for it.
  private var bringsBack = false
  /// Whether the next call of the clock saves the changes.
  private var isSaveDue = false
  /// The problems before the launch, which the report of the launch includes.
  private var earlierProblems: [String] = []
  /// The time of the launch.
  private var launchDate = 0.0

  /// The seconds between the first change and its save.
  static let delay = 0.25

  init(_ keeper: Keeper, _ storage: any StateStorage, _ clock: any SaveClock) {
    self.keeper = keeper
    self.storage = storage
    self.clock = clock
  }

  deinit { writer?.finish() }

  /// Loads the state, and restores it into an application that is being launched. Changes are saved
  /// from then on.
  func launch(_ application: Application) {
    let loaded = load()
    launchDate = clock.now
    hasLaunched = true
    refusal = loaded.refusal
    var report = RestorationReport()
    for problem in earlierProblems + loaded.problems { report.add(problem: problem) }
    for note in loaded.notes { report.note(note) }
    if refusal == nil {
      let box = application.mailbox
      writer = StateWriter(storage, loaded) { problem in
        box.post { Self.of($0)?.keeper.session.report.add(problem: problem) }
      } askForNewer: { generation in
        box.post { Self.of($0)?.save(after: generation) }
      }
      keeper.isChangeAwaited = true
    }
    guardCrashes(&report)
    keeper.ledger.storedGeneration = loaded.generation
    application.lifeFollower = self
    keeper.restore(Self.log(of: loaded), into: application, report)
    // The app may have terminated during the launch, which has released the lock of the folder.
    if !isEnded { writer?.write(storedReport) }
  }

  /// Loads the state, and begins the launch of the crash guard. If the guard says so, or the app has
  /// asked for it, first brings back the archives that were kept.
  private func load() -> StoredState {
    let loaded = storage.load(keeper.session.settings.limits)
    guard loaded.refusal == nil else { return loaded }
    if let page = storage.guardPage { keeper.crashGuard.open(page.url, probe: page.probe) }
    guard keeper.session.guarding.begin(keeper.session.settings).bringsBack || bringsBack else {
      return loaded
    }
    do {
      return try storage.bringBackArchives() ? storage.load(keeper.session.settings.limits) : loaded
    } catch {
      earlierProblems.append("The kept archives were not brought back. \(error)")
      return storage.load(keeper.session.settings.limits)
    }
  }

  /// Lets this launch bring back the archives that were kept, or the next launch if this one has
  /// begun already.
  func bringBackArchives() {
    guard hasLaunched else { return bringsBack = true }
    if !keeper.crashGuard.bringBack() {
      keeper.session.report.add(
        problem: "The kept archives do not come back, because the crash guard is off.")
    }
  }

  /// Gives the crash guard a closure by which a launch that restores nothing keeps the archives.
  private func guardCrashes(_ report: inout RestorationReport) {
    guard let writer else {
      return report.note("The crash guard is off, because this process writes nothing.")
    }
    keeper.session.guarding.keepArchives = { [unowned keeper] in
      do {
        let names = try writer.keepArchives().joined(separator: ", ")
        if !names.isEmpty {
          keeper.session.report.note(
            "The state is kept as \(names). bringBackArchives() brings it back.")
        }
        return true
      } catch {
        keeper.session.report.add(problem: "The archives were not kept under other names. \(error)")
        return false
      }
    }
  }

  /// Returns the log of the archive to be restored; an empty one if there is none.
  private static func log(of loaded: StoredState) -> ArchivedTree {
    guard let newest = loaded.newest else { return ArchivedTree(generation: loaded.generation) }
    guard let problem = newest.findings.fault else { return newest.log }
    return ArchivedTree(generation: loaded.generation, fault: problem)
  }

  /// Returns the autosaver of an application; nil if there is none.
  private static func of(_ application: Application) -> Autosaver? {
    application.lifeFollower as? Autosaver
  }

  /// Waits until all archives that were given to the writer are written.
  func finishWriting() { writer?.finish() }

  private var storedReport: StoredReport {
    StoredReport(
      date: launchDate, appVersion: keeper.session.settings.appVersion,
      report: keeper.session.report)
  }

  /// Saves the changes since the last save. The first of these changes has scheduled this call.
  private func saveChanges() {
    isSaveDue = false
    guard let writer, !isEnded else { return }
    // A restoration or save calls code of the app, which may wait and apply letters. One of these
    // letters may call this function.
    guard keeper.activity == .none else { return saveLater() }
    keeper.isChangeAwaited = true
    checkGuard()
    keeper.save(asksAll: false)
    writer.write(keeper.ledger.tree.archive)
  }

  /// Notes the generation of a stored archive of another process, and saves the whole state with a
  /// greater generation.
  private func save(after generation: UInt64) {
    keeper.ledger.storedGeneration = max(keeper.ledger.storedGeneration ?? 0, generation + 1)
    saveChanges()
  }

  /// Turns the crash guard off if its file was removed or cut.
  private func checkGuard() {
    if keeper.crashGuard.endIfRemoved() {
      keeper.session.report.note("The crash guard is off, because its file was removed.")
    } else {
      keeper.crashGuard.check()
      keeper.session.guarding.reportProblem(&keeper.session.report)
    }
  }

  private func saveLater() {
    guard !isSaveDue, let box = keeper.session.application?.mailbox else { return }
    isSaveDue = true
    clock.after(Self.delay) {
      box.post { Self.of($0)?.saveChanges() }
    }
  }

  /// Saves the whole state, and returns when it is written.
  ///
  /// During a restoration or another save, the function returns at once, and changes are saved soon
  /// afterwards.
  ///
  /// - Throws: ``StateError`` if the state could not be written.
  func saveNow() throws {
    if let refusal { throw StateError(.notStored(refusal)) }
    guard let writer else { return }
    guard keeper.activity == .none else { return saveLater() }
    keeper.isChangeAwaited = true
    checkGuard()
    do {
      do {
        try saveAll(by: writer)
      } catch StateFolderError.outdated(let generation) {
        keeper.ledger.storedGeneration = max(
          keeper.ledger.storedGeneration ?? 0, generation + 1)
        try saveAll(by: writer)
      }
    } catch {
      throw error as? StateError ?? StateError(.notStored("\(error)"))
    }
  }

  /// Encodes and writes the whole state.
  ///
  /// - Throws: ``StateError`` if the state is beyond a limit, or the error of the storage.
  private func saveAll(by writer: StateWriter) throws {
    let generation = keeper.ledger.tree.generation
    keeper.save(asksAll: true)
    guard keeper.ledger.tree.generation != generation else {
      throw StateError(.notStored("The archive would be beyond a limit, see the report."))
    }
    try writer.writeNow(keeper.ledger.tree.archive, storedReport)
  }
}

extension Autosaver: StateFollower {
  func stateDidChange() { saveLater() }

  func waitDidEnd() {
    if !isEnded { writer?.write(storedReport) }
  }

  func stateWasErased(at path: [String]) {
    do {
      let archive = keeper.ledger.tree.archive
      if let writer { return try writer.erase(archive.count > 0 ? archive : nil, at: path) }
      // The launch has not loaded the state yet, or nothing is saved.
      if path.isEmpty { return try storage.erase(nil) }
      throw StateError(.notStored(refusal ?? "A path can be erased only after the launch."))
    } catch StateFolderError.overwritten(let file) {
      keeper.session.report.note("\(StateFolderError.overwritten(file: file))")
    } catch {
      let problem = "The stored state was not erased: \(error)"
      if writer == nil, refusal == nil { earlierProblems.append(problem) }
      keeper.session.report.add(problem: problem)
    }
  }
}

extension Autosaver: LifeFollower {
  func application(_ application: Application, didReach event: Application.LifeEvent) {
    switch event {
    case .didEnterBackground:
      // The writer has reported the error.
      try? saveNow()
    case .willTerminate:
      try? saveNow()
      isEnded = true
      // The next process may start before this one has ended.
      keeper.crashGuard.close()
      writer?.close()
    case .willFinishLaunching, .didFinishLaunching, .willEnterForeground: break
    }
  }
}
