import Synchronization

/// The links and slots of one responder, in an object of its own, made when the first child, slot or
/// listener needs it: see ``Place``.
///
/// A child, or its core, keeps its parent's core alive, so a walk towards the root reads only memory
/// that exists, whatever happens to the responders meanwhile.
///
/// # Why a responder may be dropped on any thread
///
/// A responder that dies was owned by nobody, so it is the top of its tree or dies with its parent.
/// Its `deinit` touches only three things:
///
/// 1. Its own `owned`, `route` and `place`, which nobody but code that holds the responder reads or
///    writes.
/// 2. The load of each slot, which it only cancels (a thread-safe call); slots are added and
///    removed only by code that holds the responder.
/// 3. `bits`, atomically: it sets ``NodeBits/dead``, and only when some child outlives it.
///
/// Whoever walks at that moment reads `parent`, `bits`, `contents` and `route` of cores that its own
/// place keeps alive, meets the dead bit or an invalid epoch, and stops there. What a walk *writes* –
/// `route`, a branch's child, listener counts – the dying responder never reads, but for an
/// application's `route`. A dead core's memory goes with the last child that refers to it.
@usableFromInline
final class Core {
  /// Which keys have a slot here, one bit each, with the flags of ``NodeBits``.
  let bits = Atomic<UInt64>(0)

  /// The next core towards the root, retained by hand so that a walk counts no references.
  private(set) var parent: Unmanaged<Core>?

  /// Where lookups from here go, in the state of the tree in which the node was last validated;
  /// retained by hand.
  private(set) var route: Unmanaged<Route>?

  /// Slots, listeners and hooks; most nodes have none.
  var contents: Contents?

  /// The responder, once somebody but itself has to find it: a child, a listener, a delivery.
  weak var responder: Responder?

  init() {}

  deinit {
    route?.release()
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

  /// Changes the link up; only the responder calls it.
  func link(to newParent: Unmanaged<Core>?) {
    let old = parent
    parent = newParent?.retain()
    old?.release()
  }

  /// Marks the node as validated in a state of its tree, or as unknown.
  func adopt(_ newRoute: Route?) {
    let old = route
    route = newRoute.map { Unmanaged.passRetained($0) }
    old?.release()
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
