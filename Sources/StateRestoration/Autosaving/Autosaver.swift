import Foundation
import ResponderChain

/// An object that saves the state of an application after changes, without a call by the app.
///
/// A save is encoded in the tree's isolation, and written on another thread. `enterBackground()` and
/// `terminate()` save the whole state before they return. The keeper retains the autosaver.
final class Autosaver {
  private unowned let keeper: Keeper
  let writer: StateWriter
  private let clock: any SaveClock
  private var phase = Phase.new
  /// Whether the launch brings back the archives that were kept, because the app has asked for it.
  private var bringsBack = false
  /// Whether the next call of the clock saves the changes.
  private var isSaveDue = false
  private var launchDate = Date()
  /// The time of the last save that waited for the disk.
  private var durableDate = Date.distantPast

  private enum Phase {
    /// The state was not loaded for the launch yet.
    case new
    /// Nothing is saved, for this reason.
    case refused(String)
    case saving
    /// The application has terminated.
    case ended
  }

  /// The seconds between the first change and its save.
  static let delay = 0.25
  /// The seconds after which a save of changes waits for the disk again.
  static let durableInterval = 60.0

  init(_ keeper: Keeper, _ files: sending FolderFiles, _ clock: any SaveClock) {
    self.keeper = keeper
    self.clock = clock
    writer = StateWriter(files)
  }

  deinit { writer.finish() }

  private var session: Session { keeper.session }

  /// Loads the state, and restores it into an application that is being launched.
  func launch(_ application: Application) {
    let loaded = load()
    (launchDate, durableDate) = (clock.now, clock.now)
    var report = RestorationReport()
    for problem in session.report.problems + loaded.problems { report.add(problem: problem) }
    for note in loaded.notes { report.note(note) }
    if let refusal = loaded.refusal {
      phase = .refused(refusal)
      report.note("The crash guard is off, because this process writes nothing.")
    } else {
      phase = .saving
      keeper.onChange = { [unowned self] in saveLater() }
      session.guarding.keepArchives = { [unowned self] in keepArchives() }
    }
    keeper.ledger.storedGeneration = loaded.generation
    (session.appliesParts, session.writesState) = (loaded.isLocked, loaded.refusal == nil)
    application.lifeFollower = self
    keeper.restore(loaded.tree, into: application, report)
    waitDidEnd()
  }

  /// Loads the state, and begins the launch of the crash guard. If the guard says so, or the app has
  /// asked for it, first brings back the archives that were kept.
  private func load() -> StoredState {
    let limits = session.settings.limits
    let (loaded, page) = writer.perform { ($0.load(limits), $0.guardPage) }
    guard loaded.refusal == nil else { return loaded }
    if let page { keeper.crashGuard.open(page.url, probe: page.probe) }
    guard session.guarding.begin(session.settings).bringsBack || bringsBack else { return loaded }
    do {
      guard try writer.perform({ try $0.bringBackArchives() }) else { return loaded }
    } catch {
      session.report.add(problem: "The kept archives were not brought back. \(error)")
    }
    return writer.perform { $0.load(limits) }
  }

  /// Lets this launch bring back the archives that were kept, or the next one if this has begun.
  func bringBackArchives() {
    if case .new = phase { return bringsBack = true }
    keeper.crashGuard.change { $0.bringBack() }
    if !keeper.crashGuard.isOn {
      session.report.add(
        problem: "The kept archives do not come back, because the crash guard is off.")
    }
  }

  /// Keeps the archives for a launch that restores nothing. Returns whether that was possible.
  private func keepArchives() -> Bool {
    do {
      let names = try writer.perform { try $0.keepArchives() }.joined(separator: ", ")
      if !names.isEmpty {
        session.report.note("The state is kept as \(names). bringBackArchives() brings it back.")
      }
      return true
    } catch {
      session.report.add(problem: "The archives were not kept under other names. \(error)")
      return false
    }
  }

  /// Writes the report of this launch, without waiting for it.
  private func writeReport() {
    let version = session.settings.appVersion
    writer.write(SavedReport(session.report, launchDate, appVersion: version), listener)
  }

  /// The function that the writer calls on its queue.
  private var listener: StateWriter.Listener {
    let box = session.application?.mailbox
    return { result in box?.post { ($0.lifeFollower as? Autosaver)?.hear(result) } }
  }

  private func hear(_ result: Result<[String], any Error>) {
    do {
      for problem in try result.get() { session.report.add(problem: problem) }
    } catch StateFolderError.outdated(let generation) {
      count(from: generation)
      saveChanges()
    } catch {
      session.report.add(problem: "The state was not stored: \(error)")
    }
  }

  /// Lets the next archive be newer than one of another process.
  private func count(from generation: UInt64) {
    keeper.ledger.storedGeneration = max(keeper.ledger.storedGeneration ?? 0, generation + 1)
  }

  private func saveLater() {
    guard !isSaveDue, let box = session.application?.mailbox else { return }
    isSaveDue = true
    clock.after(Self.delay) {
      box.post { ($0.lifeFollower as? Autosaver)?.saveChanges() }
    }
  }

  /// Saves the changes since the last save. The first of these changes has scheduled this call, or the app
  /// calls it.
  func saveChanges() {
    isSaveDue = false
    guard case .saving = phase, begin() else { return }
    keeper.save(asksAll: false)
    let isDurable = abs(clock.now.timeIntervalSince(durableDate)) >= Self.durableInterval
    if isDurable { durableDate = clock.now }
    writer.write(keeper.ledger.tree.archive, isDurable: isDurable, listener)
  }

  /// Prepares a save. Returns false if a restoration or another save is running.
  private func begin() -> Bool {
    if keeper.activity != .none {
      saveLater()
      return false
    }
    keeper.onChange = { [unowned self] in saveLater() }
    if keeper.crashGuard.endIfRemoved() {
      session.report.note("The crash guard is off, because its file was removed.")
    } else {
      keeper.crashGuard.check()
      session.guarding.reportProblem(&session.report)
    }
    return true
  }

  /// Saves the whole state, and returns when it is written; see ``Restoration/save()``.
  ///
  /// - Throws: ``StateError`` if the state could not be written.
  func saveNow() throws {
    if case .refused(let refusal) = phase { throw StateError(.notStored(refusal)) }
    if case .new = phase { return }
    guard begin() else { return }
    defer {
      writeReport()
      writer.finish()
    }
    do {
      do {
        try saveAll()
      } catch StateFolderError.outdated(let generation) {
        count(from: generation)
        try saveAll()
      }
    } catch {
      hear(.failure(error))
      throw error as? StateError ?? StateError(.notStored("\(error)"))
    }
  }

  /// Encodes and writes the whole state.
  private func saveAll() throws {
    let generation = keeper.ledger.tree.generation
    keeper.save(asksAll: true)
    guard keeper.ledger.tree.generation != generation else {
      throw StateError(.notStored("The archive would be beyond a limit, see the report."))
    }
    hear(.success(try writer.writeNow(keeper.ledger.tree.archive)))
    durableDate = clock.now
  }
}

extension Autosaver: StateFollower {
  func waitDidEnd() {
    // The app may have terminated, which has released the lock of the folder.
    if case .saving = phase { writeReport() }
  }

  func stateWasErased(at path: [String]) {
    let refusal: String? =
      switch phase {
      case .new: "A path can be erased only after the launch."
      case .refused(let refusal): refusal
      case .saving, .ended: nil
      }
    do {
      if let refusal, !path.isEmpty { throw StateError(.notStored(refusal)) }
      let archive = keeper.ledger.tree.archive
      try writer.erase(refusal == nil && archive.count > 0 ? archive : nil, at: path, listener)
    } catch StateFolderError.overwritten(let file) {
      session.report.note("\(StateFolderError.overwritten(file: file))")
    } catch {
      session.report.add(problem: "The stored state was not erased: \(error)")
    }
  }
}

extension Autosaver: LifeFollower {
  func application(_ application: Application, didReach event: Application.LifeEvent) {
    switch event {
    case .didEnterBackground:
      // The report has the error.
      try? saveNow()
    case .willTerminate:
      let isSaved = (try? saveNow()) != nil
      if case .saving = phase {
        phase = .ended
        if isSaved { session.handOverParts(of: application) }
      }
      // The next process may start before this one has ended.
      keeper.crashGuard.close()
      writer.perform { $0.close() }
    case .willFinishLaunching, .didFinishLaunching, .willEnterForeground: break
    }
  }
}
