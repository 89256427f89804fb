/// The state that all nodes of an application's tree share.
final class TreeState {
  let strategy: Strategy
  let routeShape: RouteShape
  let mailbox: Mailbox
  /// The application.
  weak var root: Responder?
  /// The branches that keep a child with unsaved changes, although they inherit another context
  /// now.
  var drifting: [DriftingBranch] = []
  /// The index in ``drifting`` of the branch that is checked next.
  var nextDrifting = 0
  /// The subtrees that were detached last, for explanations.
  var departed: [Weak<Responder>] = []

  /// The number of detached subtrees that are remembered.
  private static let departedLimit = 16

  init(_ strategy: Strategy, _ routeShape: RouteShape, _ mailbox: Mailbox) {
    self.strategy = strategy
    self.routeShape = routeShape
    self.mailbox = mailbox
  }

  /// Remembers a detached subtree by a weak reference, for explanations of a missing context.
  func remember(departed responder: Responder) {
    departed.removeAll { $0.object == nil || $0.object === responder }
    if departed.count >= Self.departedLimit { departed.removeFirst() }
    departed.append(Weak(responder))
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
