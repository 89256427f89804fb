import Synchronization

/// The links and slots of one responder, in a separate object. A core is made when a responder gets
/// its first child, slot or listener (see ``CoreReference``).
///
/// A child, or the child's core, retains its parent's core. So a walk towards the root reads only
/// memory that exists, even if responders on the way end meanwhile. For this reason links and slots
/// are not stored in the responder itself.
///
/// # Why a responder may be dropped on any thread
///
/// A responder is released when nothing owns it any more. So it is the top of its tree, or it ends
/// with its parent. Its `deinit` touches only five things:
///
/// 1. Its own `owned`, `route` and `coreReference`, which only code that holds the responder reads
///    or writes.
/// 2. The load of each slot, which it cancels by a thread-safe call. Slots are added and removed
///    only by code that holds the responder.
/// 3. The observers registered at it, which it ends by their atomic flags. Listeners are added only
///    by code that holds the responder.
/// 4. `bits`, atomically. It sets ``NodeBits/dead``, and only if it owned responders, because one
///    of them may live on.
/// 5. Its attachment, whose ``Attachment/ownerWillEnd()`` may be called on any thread.
///
/// At the same time, a walk from a responder below may read `parent`, `bits`, `contents` and
/// `route` of the core, which that responder's `coreReference` keeps alive. The walk stops at the
/// dead bit or at an invalid epoch. A walk *writes* only `route`, a branch's child and listener
/// counts. The deinit reads none of these, except an application's `route`. The memory of a dead
/// core is released with the last child that refers to it.
@usableFromInline
class Core {
  /// The bits of the keys that have slots here, and the flags of ``NodeBits``.
  final let bits = Atomic<UInt64>(0)

  /// The next core towards the root; nil at the top. It is retained by hand, so that a walk counts
  /// no references.
  final private(set) var parent: CoreRef?

  /// The route of lookups from this node; nil if there is none. It may be stale, and ``validate()``
  /// then replaces it. It is retained by hand.
  final private(set) var route: RouteRef?

  /// The slots, listeners and hooks; nil for most nodes.
  final var contents: NodeContents?

  /// The reference to the responder; nil until ``refer(to:)`` is called.
  ///
  /// Exclusivity checking is off because it cost a twentieth of a move (`churn`). This is safe
  /// because the reference is set once, and no function calls other code while it sets or reads it.
  @exclusivity(unchecked) private final var reference: ResponderReference?

  init() {}

  deinit {
    unsafe route?.release()
    // A long line of dead cores is released by this loop, because recursion could overflow the
    // stack.
    var next = unsafe parent?.takeRetained()
    while var core = next {
      next = nil
      guard isKnownUniquelyReferenced(&core) else { return }
      next = unsafe core.parent?.takeRetained()
      core.parent = nil
    }
  }

  /// The responder; nil if it has ended, or if ``refer(to:)`` was never called.
  final var responder: Responder? { unsafe reference?.responder }

  /// Stores a reference to the responder, because a child, a branch or a delivery must reach it
  /// from this core. The reference does not keep the responder alive.
  final func refer(to responder: Responder) {
    if unsafe reference == nil { unsafe reference = ResponderReference(responder) }
  }

  /// The stored attachment of the responder; nil if there is none.
  var heldAttachment: (any Attachment)? {
    get { contents?.attachment as? any Attachment }
    set { makeContentsIfNeeded().attachment = newValue }
  }

  /// The next core towards the root; `nil` at the top, and if the responder of that core has ended.
  final var liveParent: Core? {
    guard let core = parent?.strong, !core.isDead else { return nil }
    return core
  }

  final var isDead: Bool { bits.load(ordering: .acquiring) & NodeBits.dead != 0 }

  /// All bits, read without memory ordering. This suffices for bits that the tree's own isolation
  /// has set.
  @inline(__always)
  final var flags: UInt64 { bits.load(ordering: .relaxed) }

  final var keyBits: UInt64 { flags & NodeBits.keys }

  final func has(_ flag: UInt64) -> Bool { flags & flag != 0 }

  final func set(_ flag: UInt64, _ on: Bool) {
    if on {
      bits.bitwiseOr(flag, ordering: .releasing)
    } else {
      bits.bitwiseAnd(~flag, ordering: .releasing)
    }
  }

  /// Replaces the link to the parent's core. Only the responder calls this function.
  final func link(to newParent: CoreRef?) {
    let old = parent
    unsafe newParent?.retain()
    parent = newParent
    unsafe old?.release()
  }

  /// Sets ``route``, or removes it if the new route is nil.
  final func adopt(_ newRoute: Route?) {
    let old = route
    route = newRoute.map { RouteRef($0) }
    unsafe route?.retain()
    unsafe old?.release()
  }

  /// Returns ``contents``. The first call makes them.
  final func makeContentsIfNeeded() -> NodeContents {
    if let contents { return contents }
    let made = NodeContents()
    contents = made
    return made
  }

  /// Returns the top of the tree and the number of hops to it.
  final func top() -> (core: Core, depth: Int) {
    var core = self
    var depth = 0
    while let next = core.liveParent {
      core = next
      depth += 1
    }
    return (core, depth)
  }

  /// Returns the object for the responder's closures and debug name. The first call makes it.
  final func makeHooksIfNeeded() -> Hooks {
    let contents = makeContentsIfNeeded()
    if let hooks = contents.hooks { return hooks }
    let hooks = Hooks()
    contents.hooks = hooks
    return hooks
  }
}

/// An unretained reference to a core.
///
/// It is valid as long as a ``CoreReference`` or the core of a child retains the core. A walk
/// begins at a core that is retained in this way, and each core retains the next one above.
@safe
struct CoreRef: Equatable {
  private let core: Unmanaged<Core>

  init(_ core: Core) { unsafe self.core = .passUnretained(core) }

  fileprivate init?(bitPattern: UInt) {
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: bitPattern) else { return nil }
    unsafe core = .fromOpaque(pointer)
  }

  fileprivate var bitPattern: UInt { unsafe UInt(bitPattern: core.toOpaque()) }

  /// A strong reference to the core.
  var strong: Core { unsafe core.takeUnretainedValue() }

  /// Calls the closure with the core, without retaining the core.
  @inline(__always)
  func with<R>(_ body: (Core) throws -> R) rethrows -> R {
    try unsafe core._withUnsafeGuaranteedRef { try body($0) }
  }

  /// The next core towards the root, even if its responder has ended.
  @inline(__always)
  var parent: CoreRef? { with { $0.parent } }

  /// All bits of the core; see ``Core/flags``.
  @inline(__always)
  var flags: UInt64 { with { $0.flags } }

  var contents: NodeContents? { with { $0.contents } }

  // These functions are unsafe because the compiler does not count their references. Each call of
  // `retain()` needs exactly one call of `release()` or `takeRetained()`.

  /// Retains the core.
  @unsafe fileprivate func retain() { _ = unsafe core.retain() }

  /// Releases the core once, to balance one call of ``retain()``.
  @unsafe fileprivate func release() { unsafe core.release() }

  /// Returns the core as a strong reference, to balance one call of ``retain()``. The compiler
  /// releases it.
  @unsafe fileprivate func takeRetained() -> Core { unsafe core.takeRetainedValue() }

  static func == (a: CoreRef, b: CoreRef) -> Bool { a.bitPattern == b.bitPattern }
}

/// A responder's reference to its own core or, if the responder has none, to its parent's core.
///
/// A responder without children, slots, listeners and hooks needs no core. It resolves each key as
/// its parent does, and no child or listener refers to it. Most responders of a tree are such
/// leaves. Without a core they take less memory (`memory`) and lie closer to each other (`build`).
///
/// Rejected: a smaller core. Allocating cores together in blocks is rejected too, because one core
/// that lives on would keep its whole block.
struct CoreReference {
  /// The address of a core, which is retained by hand. The lowest bit is free in an address, and is
  /// set if the core is the parent's.
  private let word: UInt
  private static let parental: UInt = 1

  /// Makes a reference to a parent's core, or to no core if `core` is nil.
  init(parent core: CoreRef?) {
    unsafe core?.retain()
    word = Self.parental | (core?.bitPattern ?? 0)
  }

  /// Makes a reference to the responder's own core.
  init(own core: Core) {
    let core = CoreRef(core)
    unsafe core.retain()
    word = core.bitPattern
  }

  /// The responder's own core; nil if it has none.
  @inline(__always)
  var own: CoreRef? { word & Self.parental == 0 ? start : nil }

  /// The core at which lookups start; nil if there is none. It is the responder's own core or else
  /// its parent's, because a leaf has the same answers as its parent.
  @inline(__always)
  var start: CoreRef? { CoreRef(bitPattern: word & ~Self.parental) }

  /// The next core towards the root, even if its responder has ended.
  @inline(__always)
  var parent: CoreRef? {
    guard let own else { return start }
    return own.parent
  }

  /// Releases the core.
  ///
  /// Unsafe because copies of this value refer to the same core without retaining it. The responder
  /// must call this function once, when it gives up the reference.
  @unsafe func release() { unsafe start?.release() }
}

/// The masks for the bits of a node: one for the bits of all keys, and one for each flag.
enum NodeBits {
  /// The mask for the bits of all keys.
  static let keys: UInt64 = (1 << UInt64(KeyID.bitCount)) - 1
  /// The flag of a responder that has an ``Attachment``.
  static let attached: UInt64 = 1 << 58
  /// The flag of an application.
  static let application: UInt64 = 1 << 59
  /// The flag of a responder whose first owned responder is a root view.
  static let rootView: UInt64 = 1 << 60
  /// The flag of a responder whose last owned responder is presented.
  static let presented: UInt64 = 1 << 61
  /// The flag of a responder whose deinit has to cancel loads, end observers or tell a mailbox of
  /// children that live on.
  static let needsTeardown: UInt64 = 1 << 62
  /// The flag of a responder that has ended. Its core remains for the children that outlived it.
  static let dead: UInt64 = 1 << 63
}
