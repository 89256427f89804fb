import Foundation
import Lineage

/// A tree in which ten screens are below each screen, and its restoration.
@MainActor final class ScreenTree<Screen: StateScreen> {
  let application = Application()
  let restoration: Restoration
  private(set) var screens: [Screen] = []

  /// Makes a tree of screens with some states, which can be saved. The restoration that is used by
  /// default has no storage.
  convenience init(_ states: [ScreenState], _ restoration: Restoration? = nil) throws {
    try self.init(byHand: states, restoration) { $0.restorationIdentifier = "screen \($1 % 10)" }
    if restoration == nil {
      application.launch(restoring: self.restoration, from: nil)
    } else {
      application.launch(restoring: self.restoration)
    }
  }

  /// Makes a tree of screens with some states, after the closure has prepared each of them.
  init(
    byHand states: [ScreenState], _ restoration: Restoration? = nil,
    _ prepare: (Screen, _ number: Int) -> Void = { _, _ in }
  ) throws {
    self.restoration = restoration ?? Self.makeRestoration()
    for (number, state) in states.enumerated() {
      let screen = Screen()
      prepare(screen, number)
      screen.state = state
      try (number < 10 ? application : screens[number / 10 - 1]).append(screen)
      screens.append(screen)
    }
  }

  /// Restores a tree. If there is a file for the page of a crash guard, the guard watches the
  /// restoration.
  init(_ archive: StateArchive, guardedIn page: URL?) {
    restoration = Self.makeRestoration()
    if let page { restoration.guardCrashes(in: page) }
    application.launch(restoring: restoration, from: archive)
  }

  /// Restores a tree, after the closure has prepared its application.
  init(_ archive: StateArchive, _ prepare: (Application) -> Void = { _ in }) {
    restoration = Self.makeRestoration()
    prepare(application)
    application.launch(restoring: restoration, from: archive)
  }

  static func makeRestoration() -> Restoration { Restoration { parts } }

  /// The parts of the restoration: the kind of the screens, and the name of their contexts.
  @RestorationBuilder static var parts: RestorationParts {
    Kind("screen", Screen.init)
    ContextName.objects
  }

  /// The screens of a restored tree, in the order in which they were made.
  var all: [Screen] {
    var level: [Responder] = [application]
    var all: [Screen] = []
    while !level.isEmpty {
      level = level.flatMap { Array($0.children) }
      all += level.compactMap { $0 as? Screen }
    }
    return all
  }

  /// Reads all values, in the order in which the screens were made.
  var states: [ScreenState] { all.map(\.state) }

  /// Saves the whole tree.
  func archive() -> StateArchive { restoration.archive(of: application) }

  /// Lets the next save encode all screens again, with the values that they have.
  func touch() {
    for screen in screens { screen.touch() }
  }
}
