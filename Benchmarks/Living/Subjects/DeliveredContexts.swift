import Lineage

/// The library's tree. Each screen is a controller with a branch, and some screens have an
/// observer.
final class DeliveredContexts: BranchingTree {
  private let application: Application
  private var delivery: Delivery<ObjectContext>?
  private var observations: [ContextObservation] = []

  init(_ strategy: Strategy) { application = Application(strategy: strategy) }

  func addTab(screens: Int) throws -> [Controller] {
    let tab = Controller()
    try application.append(tab)
    return try (0..<screens).map { _ in
      let screen = Controller()
      screen.branch(ObjectContext.self)
      try tab.append(screen)
      return screen
    }
  }

  func use(_ screen: Controller, _ hear: @escaping (ObjectContext?) -> Void) {
    observations.append(
      screen.observe(ObjectContext.self) { _, resolution in hear(resolution.value) })
  }

  func expect() { delivery = application.expect(ObjectContext.self) }

  func deliver(from store: MemoryStore) {
    delivery?.deliver(store.makeContext())
    application.drain()
  }
}
