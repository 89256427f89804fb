import Lineage

/// A tree that pushes its context by hand: a property's setter passes the context on to each child.
/// If the child has a branch, the setter makes a child context and passes on the child context.
///
/// Each controller with a branch gets a child context, because the tree cannot know which
/// controllers will be used.
final class PushedContexts: BranchingTree {
  final class Controller {
    fileprivate var children: [Controller] = []
    fileprivate var isBranching = false
    fileprivate var hear: ((ObjectContext?) -> Void)?

    fileprivate var context: ObjectContext? {
      didSet {
        hear?(context)
        for child in children {
          child.context = child.isBranching ? context?.makeChild() : context
        }
      }
    }
  }

  private let root = Controller()

  func addTab(screens: Int) -> [Controller] {
    let tab = Controller()
    root.children.append(tab)
    for _ in 0..<screens {
      let screen = Controller()
      screen.isBranching = true
      tab.children.append(screen)
    }
    return tab.children
  }

  func use(_ screen: Controller, _ hear: @escaping (ObjectContext?) -> Void) { screen.hear = hear }
  func expect() { root.context = nil }
  func deliver(from store: MemoryStore) { root.context = store.makeContext() }
}
