import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Synchronization

/// A clock for saves. Its time passes only when a test advances it.
final class ManualSaveClock: SaveClock {
  private struct ClockState {
    var now = 700_000_000.0
    var timers: [(time: Double, body: @Sendable () -> Void)] = []
  }

  private let state = Mutex(ClockState())

  var now: Double { state.withLock { $0.now } }

  /// The number of timers that have not fired.
  var timerCount: Int { state.withLock { $0.timers.count } }

  func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.timers.append(($0.now + seconds, body)) }
  }

  /// Advances the time, and fires the timers whose time has come.
  func advance(by seconds: Double) {
    let due = state.withLock { state -> [(time: Double, body: @Sendable () -> Void)] in
      state.now += seconds
      let due = state.timers.filter { $0.time <= state.now + 1e-6 }
      state.timers.removeAll { $0.time <= state.now + 1e-6 }
      return due
    }
    for timer in due { timer.body() }
  }
}

/// An application whose state is kept in a storage.
struct StoredWorld {
  let events = Events()
  let app: App
  let restoration: Restoration
  let clock: ManualSaveClock

  init(
    in storage: any StateStorage, clock: ManualSaveClock = ManualSaveClock(),
    prepare: (StoredWorld) -> Void = { _ in }
  ) {
    let events = events
    app = App(events)
    self.clock = clock
    restoration = Restoration(in: storage, clock) { makeParts(events) }
    prepare(self)
    app.launch(restoring: restoration)
  }

  init(
    _ folder: URL, clock: ManualSaveClock = ManualSaveClock(),
    probe: @escaping @Sendable (FileStep) -> Int32 = { _ in 0 }
  ) {
    self.init(in: FolderStorage(.at(folder), probe: probe), clock: clock)
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
