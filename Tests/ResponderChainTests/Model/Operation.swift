/// One step of a random program. It refers to everything by number, so that different models can
/// run it and a test can print it.
///
/// The oracle and the subject ignore a step that is impossible in the present state, for example
/// because its responder has ended. Such steps occur because the shrinker may remove any step
/// before them.
indirect enum Operation: Equatable, Sendable {
  /// The policy of a branch, declared without the library.
  enum Policy { case follow, keep }

  /// A stage of a round, declared without the library.
  enum Stage { case first, last }

  /// The treatment of the unsaved changes of a branch that is withdrawn.
  enum Unsaved { case refuse, save, discard }

  // The tree.
  case make(Int)
  case insert(Int, under: Int, at: Int)
  case move(Int, to: Int, at: Int)
  case reorder(Int, to: Int)
  case remove(Int)
  case setRootView(Int?, of: Int)
  case present(Int, by: Int)
  case dismiss(Int)
  case drop(Int)
  case makeFirst(Int)

  // The slots.
  case provide(Int, on: Int, key: Int)
  case expect(Int, on: Int, key: Int)
  case deliver(Int, to: Int)
  case fail(Int, of: Int)
  case branch(Policy, on: Int, key: Int)
  case soil(Int, key: Int)
  case clean(Int, key: Int)
  case block(Int, key: Int)
  case withdraw(Int, key: Int, Unsaved)
  /// A step in which a branch drops its child, if the child is clean.
  case remake(Int, key: Int)

  // The readers.
  case read(Int, key: Int, fromNext: Bool)
  /// A lookup that makes no children of branches.
  case peek(Int, key: Int)
  /// An observer that is called at once and in the last stage of rounds. It runs the script once,
  /// in the first call after `delay` other calls.
  case observe(Int, on: Int, key: Int, script: Operation?, delay: Int)
  /// An observer of the first stage of rounds. It is not called when it is registered.
  case observeFirst(Int, on: Int, key: Int, script: Operation?, delay: Int)
  case endObservation(Int)

  case batch([Operation])
  /// A step that runs its inner step at the end of a stage of the round. If there is no round or
  /// batch, the inner step runs at once.
  case atEnd(Stage, work: Int, Operation)

  /// The responders at which the step takes place. The step counts as within a tree if all of them
  /// are in that tree.
  ///
  /// Responders that the step moves into the tree from elsewhere are not included.
  var anchors: [Int] {
    switch self {
    case .make, .endObservation, .deliver, .fail: []
    case .batch(let steps): steps.flatMap(\.anchors)
    case .atEnd(_, _, let step): step.anchors
    case .insert(_, let parent, _): [parent]
    case .move(let node, let parent, _): [node, parent]
    case .reorder(let node, _), .remove(let node), .dismiss(let node), .drop(let node),
      .makeFirst(let node):
      [node]
    case .setRootView(_, let node), .present(_, let node): [node]
    case .provide(_, let node, _), .expect(_, let node, _), .branch(_, let node, _): [node]
    case .soil(let node, _), .clean(let node, _), .block(let node, _): [node]
    case .withdraw(let node, _, _), .read(let node, _, _): [node]
    case .peek(let node, _), .remake(let node, _): [node]
    case .observe(_, let node, _, _, _), .observeFirst(_, let node, _, _, _): [node]
    }
  }

  /// All responders that the step names. A printed program declares them.
  var nodes: [Int] {
    switch self {
    case .make(let node): [node]
    case .insert(let child, let parent, _): [child, parent]
    case .setRootView(let view, let node): [view, node].compactMap(\.self)
    case .present(let presented, let node): [presented, node]
    case .observe(_, let node, _, let script, _), .observeFirst(_, let node, _, let script, _):
      [node] + (script?.nodes ?? [])
    case .atEnd(_, _, let step): step.nodes
    case .batch(let steps): steps.flatMap(\.nodes)
    default: anchors
    }
  }
}

extension Operation: CustomStringConvertible {
  /// The step as a line of text that resembles Swift.
  var description: String {
    switch self {
    case .make(let node): "n\(node) = .init()"
    case .insert(let child, let parent, let index):
      "try n\(parent).insert(n\(child), at: \(index))"
    case .move(let node, let parent, let index):
      "try n\(node).move(to: n\(parent), at: \(index))"
    case .reorder(let node, let index): "try n\(node).parent.reorder(n\(node), to: \(index))"
    case .remove(let node): "n\(node).removeFromParent()"
    case .setRootView(let view, let node):
      "try n\(node).setRootView(\(view.map { "n\($0)" } ?? "nil"))"
    case .present(let presented, let node): "try n\(node).present(n\(presented))"
    case .dismiss(let node): "n\(node).dismiss()"
    case .drop(let node): "n\(node) = nil"
    case .makeFirst(let node): "try app.makeFirst(n\(node))"
    case .provide(let value, let node, let key):
      "n\(node).provide(c\(value), for: Key<\(key)>.self)"
    case .expect(let delivery, let node, let key):
      "let d\(delivery) = n\(node).expect(Key<\(key)>.self)"
    case .deliver(let value, let delivery): "d\(delivery).deliver(c\(value))"
    case .fail(let error, let delivery): "d\(delivery).fail(e\(error))"
    case .branch(let policy, let node, let key):
      "n\(node).branch(Key<\(key)>.self, .\(policy))"
    case .soil(let node, let key):
      "n\(node).context(Key<\(key)>.self)?.hasUnsavedChanges = true"
    case .clean(let node, let key):
      "n\(node).context(Key<\(key)>.self)?.hasUnsavedChanges = false"
    case .block(let node, let key): "n\(node).block(Key<\(key)>.self)"
    case .peek(let node, let key): "n\(node).provider(of: Key<\(key)>.self)"
    case .remake(let node, let key): "n\(node).remakeCleanBranchChild(Key<\(key)>.self)"
    case .withdraw(let node, let key, .refuse): "try n\(node).withdraw(Key<\(key)>.self)"
    case .withdraw(let node, let key, let unsaved):
      "try n\(node).withdraw(Key<\(key)>.self, unsaved: .\(unsaved))"
    case .read(let node, let key, let fromNext):
      "n\(node).resolve(Key<\(key)>.self\(fromNext ? ", from: .next" : ""))"
    case .observe(let observer, let node, let key, nil, _):
      "let o\(observer) = n\(node).observe(Key<\(key)>.self) { _, _ in }"
    case .observe(let observer, let node, let key, let script?, let delay):
      "let o\(observer) = n\(node).observe(Key<\(key)>.self) { _, _ in "
        + "when called for the \(delay == 0 ? "first" : "second") time: \(script) }"
    case .observeFirst(let observer, let node, let key, let script, let delay):
      "let o\(observer) = n\(node).observeFirst(Key<\(key)>.self) { _, _ in "
        + (script.map { "when called after \(delay) calls: \($0) " } ?? "") + "}"
    case .endObservation(let observer): "o\(observer).cancel()"
    case .atEnd(let stage, let work, let step):
      "RoundStage.\(stage).atEnd { \(step) } // w\(work)"
    case .batch(let steps): "app.batch { " + steps.map(\.description).joined(separator: "; ") + " }"
    }
  }
}
