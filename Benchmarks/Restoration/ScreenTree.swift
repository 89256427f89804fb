import Lineage

/// A tree of screens, ten below each other one, and its restoration.
@MainActor final class ScreenTree<Screen: StateScreen> {
  let application = Application()
  let restoration = makeRestoration()
  private(set) var screens: [Screen] = []

  /// Makes a tree of screens with some states, which can be saved.
  convenience init(_ states: [ScreenState]) throws {
    try self.init(byHand: states) { $0.restorationIdentifier = "screen \($1 % 10)" }
    application.launch(restoring: restoration, from: nil)
  }

  /// Makes a tree of screens with some states, after the closure has prepared each of them.
  init(
    byHand states: [ScreenState], _ prepare: (Screen, _ number: Int) -> Void = { _, _ in }
  ) throws {
    for (number, state) in states.enumerated() {
      let screen = Screen()
      prepare(screen, number)
      screen.state = state
      try (number < 10 ? application : screens[number / 10 - 1]).append(screen)
      screens.append(screen)
    }
  }

  /// Restores a tree, after the closure has prepared its application.
  init(_ archive: StateArchive, _ prepare: (Application) -> Void = { _ in }) {
    prepare(application)
    application.launch(restoring: restoration, from: archive)
  }

  static func makeRestoration() -> Restoration {
    Restoration {
      Kind("screen", Screen.init)
      ContextName.objects
    }
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
