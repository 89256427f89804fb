import Lineage

/// A tree of screens, ten below each other one, and its restoration.
@MainActor final class ScreenTree<Screen: StateScreen> {
  let application = Application()
  let restoration = makeRestoration()
  private(set) var screens: [Screen] = []

  /// Makes a tree of screens with some states.
  init(_ states: [ScreenState]) throws {
    application.launch(restoring: restoration, from: nil)
    for (number, state) in states.enumerated() {
      let screen = Screen()
      screen.restorationIdentifier = "screen \(number % 10)"
      screen.state = state
      try (number < 10 ? application : screens[number / 10 - 1]).append(screen)
      screens.append(screen)
    }
  }

  /// Restores a tree.
  init(_ archive: StateArchive) {
    application.launch(restoring: restoration, from: archive)
  }

  static func makeRestoration() -> Restoration { Restoration { Kind("screen", Screen.init) } }

  /// Reads all values, in the order in which the screens were made.
  var states: [ScreenState] {
    var level: [Responder] = [application]
    var states: [ScreenState] = []
    while !level.isEmpty {
      level = level.flatMap { Array($0.children) }
      states += level.compactMap { ($0 as? Screen)?.state }
    }
    return states
  }

  /// Saves the whole tree as at its first save.
  func archive() -> StateArchive {
    restoration.erase()
    return restoration.archive(of: application)
  }
}
