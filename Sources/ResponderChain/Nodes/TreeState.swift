/// The state that all nodes of an application's tree share.
final class TreeState {
  let strategy: Strategy
  let routeShape: RouteShape
  let mailbox: Mailbox
  /// The application; nil when it has ended.
  weak var root: Responder?
  /// The branches that keep a child with unsaved changes, although they inherit another context
  /// now.
  var drifting: [DriftingBranch] = []
  /// The index in ``drifting`` of the branch that is checked next.
  var nextDrifting = 0
  /// The roots of the most recently detached subtrees. Explanations of a missing context look at
  /// them.
  var detachedRoots: [Weak<Responder>] = []

  /// The largest number of subtrees in ``detachedRoots``.
  private static let detachedRootLimit = 16

  /// Whether the application has a first responder.
  var hasFirst = false
  /// The parent from which the first responder was removed in this round; nil if it was not.
  var fallback: Weak<Responder>?

  /// The executor of the tasks of responders; nil before the first one.
  var executor: (any TaskExecutor)?
  /// Whether the application has terminated, so that no task begins any more.
  var isTerminated = false
  /// The tasks of responders that have not ended.
  var tasks: [any TreeTask] = [] { didSet { hasTasks = !tasks.isEmpty } }
  /// Whether ``tasks`` has any. A move of a subtree reads only this flag.
  private(set) var hasTasks = false
  /// Whether the end of the round cancels tasks of responders that have left.
  var isCheckingTasks = false

  /// The keys with a fault ``Fault/Reason/notProvided`` that was reported.
  var reportedKeys: Set<UInt> = []

  init(_ strategy: Strategy, _ routeShape: RouteShape, _ mailbox: Mailbox) {
    self.strategy = strategy
    self.routeShape = routeShape
    self.mailbox = mailbox
  }

  /// Adds the root of a detached subtree to ``detachedRoots``, by a weak reference.
  func remember(detachedRoot responder: Responder) {
    detachedRoots.removeAll { $0.object == nil || $0.object === responder }
    if detachedRoots.count >= Self.detachedRootLimit { detachedRoots.removeFirst() }
    detachedRoots.append(Weak(responder))
  }
}

/// The responder and key of a drifting branch.
struct DriftingBranch {
  let responder: Weak<Responder>
  let id: KeyID
}

/// A weak reference, as an element of a collection.
struct Weak<Object: AnyObject> {
  weak let object: Object?

  init(_ object: Object) {
    self.object = object
  }
}

/// A task of a responder, as the responder's tree knows it.
protocol TreeTask: AnyObject, CustomStringConvertible {
  func cancel()

  /// Cancels the task if its responder is not in the tree.
  func cancelOutside(_ tree: TreeState)
}
