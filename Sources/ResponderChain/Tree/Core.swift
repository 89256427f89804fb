import Synchronization

/// The links and slots of one responder, in an object of its own.
///
/// A child's core keeps its parent's core alive, so a walk towards the root reads only memory that
/// exists, whatever happens to the responders meanwhile.
///
/// # Why a responder may be dropped on any thread
///
/// A responder that dies was owned by nobody, so it is the top of its tree or dies with its parent.
/// Its `deinit` touches only three things:
///
/// 1. `owned`: written and read only by code that holds the responder, hence by nobody else now.
/// 2. The load of each slot, which it only cancels (a thread-safe call); slots are added and
///    removed only by code that holds the responder.
/// 3. `bits`, atomically: it sets ``NodeBits/dead``, and only when some child outlives it.
///
/// Whoever walks at that moment reads `parent`, `bits`, `contents`, `skip` and `epoch` of cores that
/// its own core keeps alive, meets the dead bit or the invalid epoch, and stops there. What a walk
/// *writes* – `epoch`, `skip`, a branch's child, listener counts – the dying responder never
/// reads. A dead core's memory goes with the last child core that refers to it.
@usableFromInline
final class Core {
  /// Which keys have a slot here, one bit each, with the flags of ``NodeBits``.
  let bits = Atomic<UInt64>(0)

  /// The next core towards the root, retained by hand so that a walk counts no references.
  private(set) var parent: Unmanaged<Core>?

  /// The nearest ancestor with any slot; meaningful while `epoch` is valid.
  var skip: Unmanaged<Core>?

  /// The state of the tree this node was last validated in, retained by hand.
  private(set) var epoch: Unmanaged<Epoch>?

  /// Slots, listeners and hooks; most nodes have none.
  var contents: Contents?

  /// The responders this one owns: root view first, then children, then the presented controller.
  var owned: [Responder] = []

  /// The responder, once somebody but itself has to find it: a child, a listener, a delivery.
  weak var responder: Responder?

  init() {}

  deinit {
    epoch?.release()
    guard let parent else { return }
    // A long line of dead cores is released one by one, not by recursion.
    var next: Core? = parent.takeRetainedValue()
    while var core = next {
      next = nil
      guard isKnownUniquelyReferenced(&core) else { return }
      next = core.parent?.takeRetainedValue()
      core.parent = nil
    }
  }

  /// The next core towards the root; `nil` at a top and below a dead responder.
  var liveParent: Core? {
    guard let core = parent?.takeUnretainedValue(), !core.isDead else { return nil }
    return core
  }

  var isDead: Bool { bits.load(ordering: .acquiring) & NodeBits.dead != 0 }

  /// Whether there is no parent, not even one that is gone.
  var isTop: Bool { parent == nil }

  /// All bits, as far as this isolation must know them.
  @inline(__always)
  var flags: UInt64 { bits.load(ordering: .relaxed) }

  var keyBits: UInt64 { flags & NodeBits.keys }

  func has(_ flag: UInt64) -> Bool { flags & flag != 0 }

  func set(_ flag: UInt64, _ on: Bool) {
    if on {
      bits.bitwiseOr(flag, ordering: .releasing)
    } else {
      bits.bitwiseAnd(~flag, ordering: .releasing)
    }
  }

  /// Changes the link up; only `Responder+Links.swift` and the burial of dead parents call it.
  func link(to newParent: Core?) {
    let old = parent
    parent = newParent.map { Unmanaged.passRetained($0) }
    old?.release()
  }

  /// Marks the node as validated in a state of its tree, or as unknown.
  func adopt(_ newEpoch: Unmanaged<Epoch>?) {
    let old = epoch
    epoch = newEpoch?.retain()
    old?.release()
  }

  /// Begins a new state of the tree at its application.
  func begin(_ fresh: Epoch) {
    adopt(.passUnretained(fresh))
  }

  /// The slots and listeners, made on first need.
  func madeContents() -> Contents {
    if let contents { return contents }
    let made = Contents()
    contents = made
    return made
  }

  /// The top of the tree, and the hops to it.
  func top() -> (core: Core, depth: Int) {
    var core = self
    var depth = 0
    while let next = core.liveParent {
      core = next
      depth += 1
    }
    return (core, depth)
  }
}

/// The meaning of the bits in ``Core/bits``.
enum NodeBits {
  static let keyBitCount = 59
  static let keys: UInt64 = (1 << 59) - 1
  /// The responder is an application.
  static let application: UInt64 = 1 << 59
  /// The first of `owned` is a root view.
  static let rootView: UInt64 = 1 << 60
  /// The last of `owned` is presented.
  static let presented: UInt64 = 1 << 61
  /// There is a load to cancel or a mailbox to tell when the responder goes.
  static let farewell: UInt64 = 1 << 62
  /// The responder is gone; its core remains for the children that outlived it.
  static let dead: UInt64 = 1 << 63
}

/// One state of one tree, in which nodes may remember where the next slots are.
///
/// Invalidating it makes all of them stale at once. An object instead of a counter: it cannot wrap,
/// and one pointer tells both the tree and whether it is still the same.
final class Epoch {
  let strategy: Strategy
  let tree: Tree
  private let valid = Atomic<Bool>(true)

  init(_ tree: Tree) {
    self.strategy = tree.strategy
    self.tree = tree
  }

  var isValid: Bool { valid.load(ordering: .relaxed) }

  func invalidate() { valid.store(false, ordering: .releasing) }
}

/// What all nodes below one application share.
final class Tree {
  let strategy: Strategy
  let mailbox: Mailbox
  weak var application: Application?
  /// Branches that keep a child of another parent than they inherit.
  var drifting: [DriftingBranch] = []
  /// Subtrees that were detached lately, for explanations.
  var departed: [Weak<Responder>] = []
  private static let departedLimit = 16

  init(_ strategy: Strategy, _ mailbox: Mailbox) {
    self.strategy = strategy
    self.mailbox = mailbox
  }

  /// Keeps track of a branch that drifts, to let it follow when it may.
  func watch(_ slot: Slot) {
    guard let branch = slot.branch, branch.isDrifting, branch.watcher !== self,
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
