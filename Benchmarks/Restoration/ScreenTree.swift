import Foundation
import Lineage

/// A tree of screens, with its restoration. Each screen has up to ten screens as children.
@MainActor final class ScreenTree<Screen: StateScreen> {
  let application = Application()
  let restoration: Restoration
  private(set) var screens: [Screen] = []

  /// Creates a tree of screens with the given states. The tree can be saved. If `restoration` is
  /// nil, the tree gets a restoration without storage.
  convenience init(_ states: [ScreenState], _ restoration: Restoration? = nil) throws {
    try self.init(byHand: states, restoration) { $0.restorationIdentifier = "screen \($1 % 10)" }
    if restoration == nil {
      application.launch(restoring: self.restoration, from: nil)
    } else {
      application.launch(restoring: self.restoration)
    }
  }

  /// Creates a tree of screens with the given states. The closure prepares each screen before it
  /// gets its state.
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

  /// Restores a tree from an archive. If `page` is not nil, a crash guard with its page in this
  /// file watches the restoration.
  init(_ archive: StateArchive, guardedIn page: URL?) {
    restoration = Self.makeRestoration()
    if let page { restoration.guardCrashes(in: page) }
    application.launch(restoring: restoration, from: archive)
  }

  /// Restores a tree from an archive. Before that, the closure prepares the tree's application.
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

  /// The screens of the tree, level by level. This is the order in which they were made.
  var all: [Screen] {
    var level: [Responder] = [application]
    var all: [Screen] = []
    while !level.isEmpty {
      level = level.flatMap { Array($0.children) }
      all += level.compactMap { $0 as? Screen }
    }
    return all
  }

  /// The values of all screens, in the order in which the screens were made.
  var states: [ScreenState] { all.map(\.state) }

  /// Saves the whole tree in a new archive, and returns the archive.
  func archive() -> StateArchive { restoration.archive(of: application) }

  /// Marks all screens as changed, so that the next save encodes them again. Their values stay as
  /// they are.
  func touch() {
    for screen in screens { screen.touch() }
  }
}
