import LineageTestSupport
import ResponderChain
import StateRestoration

extension LawProgram {
  mutating func present() throws {
    guard let parent = pick({ $0.lawClass == .screen || $0.lawClass == .detail }),
      let real = parent.real as? Controller
    else { return }
    if let model = parent.owned.first(where: { $0.role == .presented }) {
      if model.all.contains(where: { !$0.carried.isEmpty || $0.isWaiting }) { return }
      log("dismiss \(model.line)")
      world.isFresh = false
      model.readPages()
      real.dismiss()
      model.remove()
      world.detached.append(model)
      return
    }
    let isTaken = parent.carried.contains {
      $0.record.role == .presented || $0.record.identifier == "sheet"
    }
    guard !isTaken else { return }
    let model = world.addReal(.screen, "sheet")
    guard let sheet = model.real as? Controller else { return }
    log("present \(model.line) from \(world.path(parent))")
    world.isFresh = false
    try real.present(sheet)
    parent.add(model, as: .presented)
  }

  mutating func setRootView() throws {
    guard let parent = pick({ $0.lawClass == .screen || $0.lawClass == .detail }),
      let real = parent.real as? Controller,
      parent.carried.allSatisfy({ $0.record.role == .child && $0.record.identifier != "view" })
    else { return }
    world.isFresh = false
    if let old = parent.owned.first(where: { $0.role == .rootView }) { old.remove() }
    let model = world.addReal(.pane, "view")
    model.state.zoom = 3
    model.node?.zoom = 3
    log("root view \(model.line) of \(world.path(parent))")
    try real.setRootView(model.real as? ViewResponder)
    parent.add(model, as: .rootView)
  }

  mutating func toggleFailure() {
    let world = world
    guard
      let model = pick({
        $0.node != nil && $0.carried.isEmpty && $0.saved != nil
          && world.registry.kind(of: $0) != world.registry.name
          && world.slot($0) == LawSlot.none && $0.role == .child
      })
    else { return }
    model.fails.toggle()
    model.node?.failsToEncode = model.fails
    model.node?.invalidateRestorableState()
    log("\(model.line) fails to encode: \(model.fails)")
  }

  /// Provides the notebook, or makes its delivery fail.
  mutating func finishWork() throws {
    guard !world.isReady else { return }
    if random.below(4) == 0 {
      log("the notebook fails")
      if let delivery = world.delivery {
        delivery.fail(Mishap("no store"))
        world.app.drain()
      }
      return
    }
    log("the notebook comes")
    world.isReady = true
    if let delivery = world.delivery, delivery.deliver(Notebook("root")) {
      world.app.drain()
    } else {
      world.app.provide(Notebook("root"))
    }
    world.finishWork()
    try world.checkContexts()
  }
}
