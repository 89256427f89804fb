import Foundation
package import LineageFiles
public import ResponderChain

extension Restoration {
  /// Creates a restoration that keeps the state in a folder. The closure lists kinds and names of
  /// contexts.
  ///
  /// ```swift
  /// let restoration = Restoration(in: .state(of: "flashcards")) {
  ///   Kind("deck", DeckController.init)
  /// }
  /// application.launch(restoring: restoration)
  /// ```
  ///
  /// The folder is opened by the launch, or by an earlier call of ``erase(at:)``. The clock decides
  /// when changes are saved. A test can use a ``ManualSaveClock``.
  public convenience init(
    in folder: StateFolder, clock: (any SaveClock)? = nil,
    @RestorationBuilder _ parts: () -> RestorationParts
  ) {
    self.init(in: folder, clock: clock, probe: { _ in 0 }, parts)
  }

  /// Creates a restoration with a folder. The probe makes steps of reading and writing fail.
  package convenience init(
    in folder: StateFolder, clock: (any SaveClock)?, probe: @escaping @Sendable (FileStep) -> Int32,
    @RestorationBuilder _ parts: () -> RestorationParts
  ) {
    self.init(parts())
    let clock = clock ?? SystemSaveClock()
    keeper.follower = Autosaver(keeper, FolderFiles(folder, probe: probe), clock)
    settings.clock = { clock.now.timeIntervalSinceReferenceDate }
  }

  private var saver: Autosaver? { keeper.follower as? Autosaver }

  /// Saves the whole state in the folder, and returns when it is on the disk.
  ///
  /// Changes are saved without this call; see <doc:TheStateFolder>. Without a folder or before the
  /// launch, it saves nothing. During a restoration, it returns at once, and changes are saved soon
  /// afterwards.
  ///
  /// - Throws: ``StateError`` if the state could not be stored, for example because another process
  ///   uses the folder.
  /// - Complexity: That of ``archive(of:)``, and a wait for the disk.
  public func save() throws { try saver?.saveNow() }

  /// Stores what has changed since the last save, without waiting for it.
  ///
  /// Changes are stored by themselves, at most 0.25 s later. Call this function after a save of objects
  /// that must not be repeated, because a program that is killed before would come back as it was before
  /// that save.
  ///
  /// - Complexity: O(*n*) for *n* responders that have changed.
  public func saveChanges() { saver?.saveChanges() }

  /// Brings back the archives that a launch has kept, because launches have ended or because it could
  /// not read them. Before the launch, this launch restores them. Later, the next one does.
  ///
  /// What was saved without them is moved to the folder of files that could not be used. If no
  /// archives are kept, nothing happens.
  public func bringBackArchives() { saver?.bringBackArchives() }

  /// Waits until all saves that have begun are written, for tests.
  package func finishWriting() { saver?.writer.finish() }
}

extension Application {
  /// Launches the application, restores the state in the restoration's folder, and saves the state
  /// there from then on.
  ///
  /// The state is restored between `willFinishLaunching()` and `didFinishLaunching()`. The report says
  /// what was not restored. If the application was launched before, nothing happens.
  ///
  /// If the restoration has no folder, the launch restores nothing, and changes are not saved.
  ///
  /// - Complexity: O(*n*) for *n* bytes of the folder's archives, without the app's code.
  public final func launch(restoring restoration: Restoration) {
    launch { application in
      restoration.keeper.bind(application)
      guard let saver = restoration.keeper.follower as? Autosaver else {
        return restoration.keeper.restore(nil, into: application)
      }
      saver.launch(application)
    }
  }
}
