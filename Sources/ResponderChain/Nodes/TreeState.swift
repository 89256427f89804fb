/// The state that all nodes below one application share.
final class TreeState {
  let strategy: Strategy
  let routeShape: RouteShape
  let mailbox: Mailbox
  /// The application.
  weak var root: Responder?
  /// Branches that keep a child with unsaved changes, of another parent than they inherit.
  var drifting: [DriftingBranch] = []
  /// The index of the branch that is checked next.
  var nextDrifting = 0
  /// Subtrees that were detached lately, for explanations.
  var departed: [Weak<Responder>] = []

  private static let departedLimit = 16

  init(_ strategy: Strategy, _ routeShape: RouteShape, _ mailbox: Mailbox) {
    self.strategy = strategy
    self.routeShape = routeShape
    self.mailbox = mailbox
  }

  /// Remembers a subtree that left, weakly, for explanations of a missing context.
  func remember(departed responder: Responder) {
    departed.removeAll { $0.object == nil || $0.object === responder }
    if departed.count >= Self.departedLimit { departed.removeFirst() }
    departed.append(Weak(responder))
  }
}

/// The place of a branch that keeps a child of another parent than it inherits.
struct DriftingBranch {
  let responder: Weak<Responder>
  let id: KeyID
}

/// A reference that does not own.
struct Weak<Object: AnyObject> {
  weak let object: Object?

  init(_ object: Object) {
    self.object = object
  }
}
