import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration

/// An application whose state is kept in a folder.
struct StoredWorld {
  let events = Events()
  let app: App
  let restoration: Restoration
  let clock: ManualSaveClock

  init(
    in folder: StateFolder, clock: ManualSaveClock = ManualSaveClock(),
    probe: @escaping @Sendable (FileStep) -> Int32, prepare: (StoredWorld) -> Void
  ) {
    let events = events
    app = App(events)
    self.clock = clock
    restoration = Restoration(in: folder, clock: clock, probe: probe) { makeParts(events) }
    prepare(self)
    app.launch(restoring: restoration)
  }

  init(in folder: StateFolder, prepare: (StoredWorld) -> Void) {
    self.init(in: folder, probe: { _ in 0 }, prepare: prepare)
  }

  init(
    _ folder: URL, clock: ManualSaveClock = ManualSaveClock(),
    probe: @escaping @Sendable (FileStep) -> Int32 = { _ in 0 }
  ) {
    self.init(in: .at(folder), clock: clock, probe: probe, prepare: { _ in })
  }

  /// Advances the clock, and drains the mailbox. This starts a save that is due.
  func pass(_ seconds: Double = 0.25) {
    clock.advance(by: seconds)
    app.drain()
  }

  /// Adds a screen below a responder.
  @discardableResult
  func screen(_ identifier: String, below parent: Responder? = nil) throws -> Screen {
    let screen = Screen(events, identifier)
    try (parent ?? app).append(screen)
    return screen
  }

  /// The notes of all screens below the application, stored under the names of the screens.
  var notes: [String: String] {
    var notes: [String: String] = [:]
    for case let screen as Screen in app.descendants { notes[screen.name] = screen.note ?? "" }
    return notes
  }
}

extension Screen {
  /// Sets the note, and notifies the restoration of the change.
  func change(_ note: String) {
    self.note = note
    invalidateRestorableState()
  }
}

/// Returns the sorted names of the files in a folder, except `lock` and `guard`.
func names(in folder: URL) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: folder.path)
    .filter { $0 != "lock" && $0 != "guard" }.sorted()
}
