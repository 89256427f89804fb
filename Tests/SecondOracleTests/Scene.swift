import Foundation
import Lineage
import LineageEditProbe
import LineageFiles
import LineageTestSupport
import ObjectGraph
import ResponderChain
import StateRestoration
import Synchronization

struct Page: Entity {
  var title = ""
  var text = ""
  var number = 0.0
  var data = Data()

  static let schema = Schema<Page>("Page") {
    Attribute("title", \.title)
    Attribute("text", \.text)
    Attribute("number", \.number)
    Attribute("data", \.data)
  }
}

/// A process with nested screens, the outermost first.
@MainActor
struct Scene {
  let application: Application
  let restoration: Restoration
  let screens: [KeptScreen]
  let contexts: [ObjectContext]

  var screen: KeptScreen { screens.last.sure }
  var context: ObjectContext { contexts.last.sure }
  var report: String {
    (restoration.report.problems + restoration.report.notes).joined(separator: "\n")
  }
}

/// A store in memory and a folder of state, with processes that follow each other.
@MainActor
final class Theatre {
  let drawer: Drawer
  var store: MemoryStore

  init() throws {
    drawer = try Drawer()
    store = try MemoryStore([Page.self])
  }

  /// Runs a process and kills it. The lock of the folder fails once if an error number is given.
  @discardableResult
  func run<R>(
    _ depth: Int = 1, lockError: Int32 = 0, _ body: (Scene) throws -> R
  ) throws -> R {
    let application = Application()
    application.provide(store.makeContext())
    let failures = FailingLock(lockError)
    let restoration = Restoration(
      in: .at(drawer.file("state")), clock: ManualSaveClock(), probe: failures.code
    ) {
      Kind("screen") { $0.existing ?? KeptScreen() }
      ContextName.objects
    }
    application.launch(restoring: restoration)
    var screens: [KeptScreen] = []
    for _ in 0..<depth {
      let parent = screens.last as Responder? ?? application
      if parent.children.isEmpty {
        let screen = KeptScreen()
        screen.restorationIdentifier = "screen"
        try parent.append(screen)
      }
      if let screen = parent.children.first as? KeptScreen { screens.append(screen) }
    }
    let scene = Scene(
      application: application, restoration: restoration, screens: screens,
      contexts: try screens.map { try $0.require(ObjectContext.self) })
    for context in scene.contexts { context.onError = { _ in } }
    return try withExtendedLifetime(scene) { try body(scene) }
  }

  /// Commits in the store, as another context.
  @discardableResult
  func commit<R>(_ body: (ObjectContext) throws -> R) throws -> R {
    let context = store.makeContext()
    let result = try body(context)
    try context.save()
    return result
  }
}

/// A lock that fails once, with an error number.
final class FailingLock: Sendable {
  private let error: Mutex<Int32>

  init(_ error: Int32) { self.error = Mutex(error) }

  func code(_ step: FileStep) -> Int32 {
    guard step == .lock else { return 0 }
    return error.withLock { error in
      defer { error = 0 }
      return error
    }
  }
}
