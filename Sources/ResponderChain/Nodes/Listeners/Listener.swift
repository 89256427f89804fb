import CLineageRuntime
import Synchronization

/// A registration at a node, of one of four kinds, or the work that a round does at the end of a
/// stage.
@usableFromInline
class Listener {
  enum ListenerKind: UInt8 {
    case observer
    case waiting
    case branch
    case mailbox
    case work
  }

  // Properties that a call does not read come first. The other ones then lie next to the properties
  // of the subclass ``Observer``.
  final let key: any ErasedKey.Type
  /// The number of the registration. Among listeners of one stage and level, lower numbers are
  /// called first.
  final let number: UInt64
  /// The last round in which this listener was moved, and its place in that round's order.
  ///
  /// In that round it is called at this place only. The place is ``nowhere`` if a callback detached
  /// the listener.
  final var moved: (round: UInt64, order: UInt64) = (0, 0)
  final let id: KeyID
  private final var place: UInt32 = 0
  final let kind: ListenerKind
  /// The stage of a round in which the listener is called.
  final let stage: RoundStage
  /// Whether the registration has ended. It may still have to be removed.
  private final let isOver = Atomic<Bool>(false)
  private final var node: CoreRef?

  /// A place in the order that no call reaches.
  static let nowhere = UInt64.max
  private static let numbers = Atomic<UInt64>(0)

  init(_ kind: ListenerKind, _ key: any ErasedKey.Type, stage: RoundStage = .last) {
    self.kind = kind
    self.stage = stage
    self.key = key
    id = key.id
    number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Ends the registration. It is removed later, together with others of its node.
  ///
  /// It may be called on any thread, and more than once. Rejected: removing each registration at
  /// once, because ten thousand woken tasks would do that one after the other (`late delivery` to
  /// waiters).
  func end() { isOver.store(true, ordering: .sequentiallyConsistent) }

  /// Whether the registration has ended. It may still have to be removed.
  final var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  /// Ends an observation, because the deinit of its node's responder is running. It may be called
  /// on any thread.
  func nodeWillEnd() {}

  /// Makes a branch check its child again, because something above the branch changed.
  func unsettle() {}

  /// Remembers a failure or block as the result of a wait. The task receives it even if the answer
  /// has changed again by the time the task runs. Other listeners ignore the call.
  func note(_ answer: Answer) {}

  /// Binds the listener's value to the mailbox of the tree in which the node is now.
  func bind(to mailbox: Mailbox?) {}

  /// The index in the node's list of listeners.
  fileprivate(set) final var index: Int {
    get { Int(place) }
    set { place = UInt32(newValue) }
  }

  /// The node at which it is registered.
  final var core: CoreRef? { node }

  /// Registers with a node, and tells the node's ancestors up to the first that already knows of
  /// such a listener.
  final func register(at core: Core) {
    node = CoreRef(core)
    let listeners = core.madeListeners()
    if listeners.own.count >= listeners.sweepAt { listeners.sweep() }
    // The listener joins before the nodes above are told. Joining may remove ended listeners.
    let joined = kind == .waiting || kind == .observer ? core.joinAudience(self) : nil
    let wasActive = listeners.isActive
    index = listeners.own.count
    listeners.own.append(self)
    if kind == .observer { core.set(NodeBits.needsTeardown, true) }
    // Listeners for the mailbox are in no audience.
    core.spreadListening(
      id.bit, wasActive: wasActive, outdating: kind != .mailbox, joined: joined)
  }

  /// Removes the registration; does nothing if there is none.
  final func unregister() { unregister(outdating: kind != .mailbox) }

  /// Removes the registration.
  ///
  /// `outdating` says whether audiences above are forgotten. It is false for a listener that is in
  /// no audience, or that the caller removes from its audience.
  final func unregister(outdating: Bool) {
    guard let core = node?.strong, let listeners = core.contents?.listeners else { return }
    node = nil
    listeners.own.swapRemove(at: index) { $0.index = $1 }
    core.fadeListening(outdating: outdating)
  }
}

/// An unretained reference to a listener. It is valid as long as its node, or an audience that
/// contains it, is held.
@safe
struct ListenerRef: Equatable {
  private let listener: Unmanaged<Listener>

  init(_ listener: Listener) { unsafe self.listener = .passUnretained(listener) }

  /// The listener, retained.
  var strong: Listener { unsafe listener.takeUnretainedValue() }

  /// Calls the closure with the listener, without counting a reference.
  @inline(__always)
  func with<R>(_ body: (Listener) throws -> R) rethrows -> R {
    try unsafe listener._withUnsafeGuaranteedRef { try body($0) }
  }

  /// Prefetches the part of the listener that a call reads.
  @inline(__always)
  func prefetchForCall() { unsafe prefetch_object(listener.toOpaque() + 64) }

  static func == (a: ListenerRef, b: ListenerRef) -> Bool {
    unsafe a.listener.toOpaque() == b.listener.toOpaque()
  }
}

extension Listener {
  /// Returns the listener as the class of its kind. A debug build checks the cast.
  @inline(__always)
  final func cast<ListenerKind: Listener>(to type: ListenerKind.Type) -> ListenerKind {
    unsafe unsafeDowncast(self, to: type)
  }
}

/// An unretained reference to an audience. It is valid as long as the round that calls the audience
/// keeps it.
@safe
struct AudienceRef {
  private let audience: Unmanaged<Audience>

  init(_ audience: Audience) { unsafe self.audience = .passUnretained(audience) }

  /// Marks the audience as one with ended listeners. Returns the audience only the first time.
  func becomeStale() -> Audience? {
    unsafe audience._withUnsafeGuaranteedRef {
      if $0.isStale { return nil }
      $0.isStale = true
      return $0
    }
  }
}
