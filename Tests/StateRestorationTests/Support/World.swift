import LineageTestSupport
import ResponderChain
import StateRestoration

/// An application, the events of its restoration, and the restoration.
struct World {
  let events = Events()
  let app: App
  let restoration: Restoration

  init(strategy: Strategy = .skipping) {
    app = App(events, strategy: strategy)
    restoration = makeRestoration(events)
  }

  /// Creates a world, prepares it by a closure, and launches it with an archive.
  static func restored(
    _ archive: StateArchive, strategy: Strategy = .skipping,
    _ prepare: (World) throws -> Void = { _ in }
  ) throws -> World {
    let world = World(strategy: strategy)
    try prepare(world)
    world.app.launch(restoring: world.restoration, from: archive)
    return world
  }

  /// A full save of the world's tree.
  var archive: StateArchive { restoration.archive(of: app) }

  /// Adds a screen below a responder, or below the application if no responder is given.
  @discardableResult
  func screen(_ identifier: String, below parent: Responder? = nil) throws -> Screen {
    let screen = Screen(events, identifier)
    try (parent ?? app).append(screen)
    return screen
  }

  /// Returns the screen at a path of identifiers; nil if there is none.
  func find(_ path: String...) -> Screen? {
    var node: Responder? = app
    for name in path {
      node = node?.children.first { $0.restorationIdentifier == name }
    }
    return node as? Screen
  }
}
