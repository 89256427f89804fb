import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

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

  /// Adds a reader below a responder, or below the application if no responder is given. The
  /// numbers are pages of the notebook "root". A value without a number is not set.
  @discardableResult
  func reader(
    below parent: Responder? = nil, page: Int? = nil, mark: Int? = nil
  ) throws -> Reader {
    let reader = Reader(events, "reader")
    try (parent ?? app).append(reader)
    if let page { reader.page = PageNumber(notebook: "root", page: page) }
    if let mark { reader.mark = PageNumber(notebook: "root", page: mark) }
    return reader
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

extension World {
  /// Creates a launched world with forms below its application. The draft of each form contains the
  /// number of the form.
  static func forms(_ count: Int) throws -> (World, [Form]) {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    let forms = (0..<count).map { _ in Form() }
    for (index, form) in forms.enumerated() {
      form.restorationIdentifier = "form"
      form.draft = "draft \(index)"
      try world.app.append(form)
    }
    return (world, forms)
  }

  /// Restores an archive, and checks that the report has no problems. Returns the drafts of the
  /// forms below the application.
  static func drafts(_ archive: StateArchive) throws -> [String] {
    let world = try World.restored(archive)
    #expect(world.restoration.report.problems == [])
    return world.app.children.compactMap { ($0 as? Form)?.draft }
  }
}

/// Launches an application that has one controller below it. Returns the application and its
/// restoration, which has no kinds.
@discardableResult
func launched(
  _ controller: Controller, _ identifier: String, from archive: StateArchive? = nil
) throws -> (Application, Restoration) {
  let app = Application()
  controller.restorationIdentifier = identifier
  try app.append(controller)
  let restoration = Restoration {}
  app.launch(restoring: restoration, from: archive)
  return (app, restoration)
}
