/// What all nodes below one application share.
final class Tree {
  let strategy: Strategy
  let mailbox: Mailbox
  weak var application: Application?
  /// Branches that keep a child with unsaved changes, of another parent than they inherit.
  var drifting: [DriftingBranch] = []
  /// The index of the one that is looked at next.
  var nextDrifting = 0
  /// Subtrees that were detached lately, for explanations.
  var departed: [Weak<Responder>] = []
  private static let departedLimit = 16

  init(_ strategy: Strategy, _ mailbox: Mailbox) {
    self.strategy = strategy
    self.mailbox = mailbox
  }

  /// Keeps track of a branch that drifts, to let it follow when it may.
  func watch(_ slot: Slot) {
    // One that keeps its child in any case hears of what would end its drift.
    guard let branch = slot.branch, branch.isDrifting, branch.policy == .follow,
      branch.watcher !== self,
      let responder = slot.owner.responder
    else { return }
    branch.watcher = self
    drifting.append(DriftingBranch(responder: Weak(responder), id: slot.id))
  }

  /// Keeps weak track of subtrees that left, for explanations of what is missing.
  func remember(departed responder: Responder) {
    departed.removeAll { $0.responder == nil || $0.responder === responder }
    if departed.count >= Self.departedLimit { departed.removeFirst() }
    departed.append(Weak(responder))
  }
}

/// Where a branch is that keeps a child of another parent than it inherits.
struct DriftingBranch {
  let responder: Weak<Responder>
  let id: KeyID
}

/// A reference that does not own.
struct Weak<Object: AnyObject> {
  weak let responder: Object?

  init(_ object: Object) {
    responder = object
  }
}
