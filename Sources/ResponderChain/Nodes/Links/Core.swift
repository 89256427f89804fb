import Synchronization

/// The links and slots of one responder, in an object of its own, made when the first child, slot or
/// listener needs it: see ``CoreReference``.
///
/// A child, or its core, keeps its parent's core alive, so a walk towards the root reads only memory
/// that exists, whatever happens to the responders meanwhile.
///
/// # Why a responder may be dropped on any thread
///
/// A responder that dies was owned by nobody, so it is the top of its tree or dies with its parent.
/// Its `deinit` touches only three things:
///
/// 1. Its own `owned`, `route` and `place`, which only code that holds the responder reads or
///    writes.
/// 2. The load of each slot, which it only cancels (a thread-safe call); slots are added and
///    removed only by code that holds the responder.
/// 3. `bits`, atomically: it sets ``NodeBits/dead``, and only when some child outlives it.
///
/// A walk at that moment reads `parent`, `bits`, `contents` and `route` of cores that the place of
/// its own responder keeps alive, meets the dead bit or an invalid epoch, and stops there. A walk
/// *writes* `route`, a branch's child and listener counts, which the dying responder never reads,
/// but for an application's `route`. A dead core's memory goes with the last child that refers to
/// it.
@usableFromInline
final class Core {
  /// Which keys have a slot here, one bit each, with the flags of ``NodeBits``.
  let bits = Atomic<UInt64>(0)

  /// The next core towards the root, retained by hand so that a walk counts no references.
  private(set) var parent: CoreRef?

  /// The route of lookups from here, in the state of the tree in which the node was last validated;
  /// retained by hand.
  private(set) var route: RouteRef?

  /// Slots, listeners and hooks; most nodes have none.
  var contents: NodeContents?

  /// The responder, once something else has to find it: a child, a listener, a delivery.
  weak var responder: Responder?

  init() {}

  deinit {
    unsafe route?.release()
    // A long line of dead cores is released one by one, not by recursion.
    var next = unsafe parent?.takeRetained()
    while var core = next {
      next = nil
      guard isKnownUniquelyReferenced(&core) else { return }
      next = unsafe core.parent?.takeRetained()
      core.parent = nil
    }
  }

  /// The next core towards the root; `nil` at a top and below a dead responder.
  var liveParent: Core? {
    guard let core = parent?.strong, !core.isDead else { return nil }
    return core
  }

  var isDead: Bool { bits.load(ordering: .acquiring) & NodeBits.dead != 0 }

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
  func link(to newParent: CoreRef?) {
    let old = parent
    unsafe newParent?.retain()
    parent = newParent
    unsafe old?.release()
  }

  /// Marks the node as validated in a state of its tree, or as unknown.
  func adopt(_ newRoute: Route?) {
    let old = route
    route = newRoute.map { RouteRef($0) }
    unsafe route?.retain()
    unsafe old?.release()
  }

  /// Returns the slots and listeners, made on first need.
  func madeContents() -> NodeContents {
    if let contents { return contents }
    let made = NodeContents()
    contents = made
    return made
  }

  /// Returns the top of the tree, and the hops to it.
  func top() -> (core: Core, depth: Int) {
    var core = self
    var depth = 0
    while let next = core.liveParent {
      core = next
      depth += 1
    }
    return (core, depth)
  }

  /// Returns the closures and names of the responder, made on first need.
  func madeHooks() -> Hooks {
    let contents = madeContents()
    if let hooks = contents.hooks { return hooks }
    let hooks = Hooks()
    contents.hooks = hooks
    return hooks
  }
}

/// A core that is not retained.
///
/// Valid as long as a child, the place of a responder or a held core refers to the core: all walks
/// begin at one of these, and go up, where each core retains the next.
@safe
struct CoreRef: Equatable {
  private let core: Unmanaged<Core>

  init(_ core: Core) { unsafe self.core = .passUnretained(core) }

  fileprivate init?(bitPattern: UInt) {
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: bitPattern) else { return nil }
    unsafe core = .fromOpaque(pointer)
  }

  fileprivate var bitPattern: UInt { unsafe UInt(bitPattern: core.toOpaque()) }

  /// The core, retained.
  var strong: Core { unsafe core.takeUnretainedValue() }

  /// Calls the closure with the core, without counting a reference.
  @inline(__always)
  func with<R>(_ body: (Core) throws -> R) rethrows -> R {
    try unsafe core._withUnsafeGuaranteedRef { try body($0) }
  }

  /// The next core towards the root, also if its responder is gone.
  @inline(__always)
  var parent: CoreRef? { with { $0.parent } }

  /// All bits, as far as this isolation must know them.
  @inline(__always)
  var flags: UInt64 { with { $0.flags } }

  var contents: NodeContents? { with { $0.contents } }

  // Unsafe because the compiler does not count these references: whoever takes one must give it back,
  // once.

  /// Takes a reference to the core.
  @unsafe fileprivate func retain() { _ = unsafe core.retain() }

  /// Gives back a reference that ``retain()`` took.
  @unsafe fileprivate func release() { unsafe core.release() }

  /// Returns the core, and leaves to the compiler a reference that ``retain()`` took.
  @unsafe fileprivate func takeRetained() -> Core { unsafe core.takeRetainedValue() }

  static func == (a: CoreRef, b: CoreRef) -> Bool { a.bitPattern == b.bitPattern }
}

/// A responder's reference to a core: of its own or, as long as it needs none, its parent's.
///
/// A responder without children, slots, listeners and hooks resolves what its parent resolves, and
/// nothing has to find it. Most of a tree are such leaves. Without a core they take less than half of
/// the memory, and lie closer to each other.
struct CoreReference {
  /// The address of a core, retained by hand; the lowest bit, which an address does not need, says
  /// that it is the parent's.
  private let word: UInt
  private static let parental: UInt = 1

  /// A reference to a parent's core, or to none.
  init(parent core: CoreRef?) {
    unsafe core?.retain()
    word = Self.parental | (core?.bitPattern ?? 0)
  }

  /// A reference to a core of the responder's own.
  init(own core: Core) {
    let core = CoreRef(core)
    unsafe core.retain()
    word = core.bitPattern
  }

  /// The responder's own core.
  @inline(__always)
  var own: CoreRef? { word & Self.parental == 0 ? start : nil }

  /// The core at which lookups start: the responder's own or its parent's, which has the same
  /// answers.
  @inline(__always)
  var start: CoreRef? { CoreRef(bitPattern: word & ~Self.parental) }

  /// The next core towards the root, also if its responder is gone.
  @inline(__always)
  var parent: CoreRef? {
    guard let own else { return start }
    return own.parent
  }

  /// Gives the core back.
  ///
  /// Unsafe because a copy of the reference has the same core: only the responder that lets go of the
  /// reference calls this, once.
  @unsafe func release() { unsafe start?.release() }
}

/// The meaning of the bits of a node beside those of its keys.
enum NodeBits {
  static let keys: UInt64 = (1 << UInt64(KeyID.bitCount)) - 1
  /// The responder is an application.
  static let application: UInt64 = 1 << 59
  /// The first of `owned` is a root view.
  static let rootView: UInt64 = 1 << 60
  /// The last of `owned` is presented.
  static let presented: UInt64 = 1 << 61
  /// There is a load to cancel or a mailbox to tell when the responder goes.
  static let needsTeardown: UInt64 = 1 << 62
  /// The responder is gone; its core remains for the children that outlived it.
  static let dead: UInt64 = 1 << 63
}
