import CLineageRuntime
import Synchronization

/// An object that a round calls. It is registered at a node as an observer, a wait, a branch or a
/// mailbox listener, or it is the work at the end of a stage.
@usableFromInline
class Listener {
  enum ListenerKind: UInt8 {
    case observer
    case waiting
    case branch
    case mailbox
    case work
  }

  // Properties that a call does not read come first. So the others lie next to the properties of
  // the subclass ``Observer``.
  final let key: any ErasedKey.Type
  /// The number of the registration. Among listeners of one stage and level, lower numbers are
  /// called first.
  final let number: UInt64
  /// The number of the last round in which this listener was moved with its subtree, and the
  /// listener's place in the order of that round.
  ///
  /// That round calls the listener at this place only. The place is ``nowhere`` if a callback
  /// detached the listener.
  final var moved: (round: UInt64, order: UInt64) = (0, 0)
  final let id: KeyID
  private final var place: UInt32 = 0
  final let kind: ListenerKind
  /// The stage of a round in which the listener is called.
  final let stage: RoundStage
  /// Whether the registration has ended. The node removes an ended registration later.
  private final let isOver = Atomic<Bool>(false)
  private final var node: CoreRef?

  /// The order in ``moved`` that marks a listener which the round must not call.
  static let nowhere = UInt64.max
  private static let numbers = Atomic<UInt64>(0)

  init(_ kind: ListenerKind, _ key: any ErasedKey.Type, stage: RoundStage = .last) {
    self.kind = kind
    self.stage = stage
    self.key = key
    id = key.id
    number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Ends the registration. The node removes it later, together with others.
  ///
  /// This function may be called on any thread, and more than once. Rejected: removing each
  /// registration at once, because ten thousand woken tasks would do that one after the other
  /// (`late delivery` to waiters).
  func end() { isOver.store(true, ordering: .sequentiallyConsistent) }

  /// Whether the registration has ended. The node removes an ended registration later.
  final var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  /// Ends an observation, because the node or its responder is being released. This function may be
  /// called on any thread. Other kinds of listeners ignore the call.
  func nodeWillEnd() {}

  /// Makes a branch check its child again, because the inherited answer may have changed. Other
  /// kinds of listeners ignore the call.
  func unpublish() {}

  /// Records a failure or block as the result of a wait. The task receives this result even if the
  /// answer has changed again before the task runs. Other kinds of listeners ignore the call.
  func recordFailure(in answer: Answer) {}

  /// Binds the value of a mailbox listener to the mailbox of the node's present tree. Other kinds
  /// of listeners ignore the call.
  func bind(to mailbox: Mailbox?) {}

  /// The index in the node's list of listeners.
  fileprivate(set) final var index: Int {
    get { Int(place) }
    set { place = UInt32(newValue) }
  }

  /// The node at which the listener is registered; nil if it is not registered.
  final var core: CoreRef? { node }

  /// Registers the listener at a node, and updates the indexes of the node and its ancestors.
  final func register(at core: Core) {
    node = CoreRef(core)
    let listeners = core.makeListenersIfNeeded()
    if listeners.own.count >= listeners.sweepAt { listeners.sweep() }
    // The listener joins an audience before the indexes are updated. Joining may remove ended
    // listeners.
    let joined = kind == .waiting || kind == .observer ? core.joinAudience(self) : nil
    let wasActive = listeners.isActive
    index = listeners.own.count
    listeners.own.append(self)
    if kind == .observer { core.set(NodeBits.needsTeardown, true) }
    // Mailbox listeners are in no audience.
    core.addListenerBits(
      id.bit, wasActive: wasActive, outdating: kind != .mailbox, joined: joined)
  }

  /// Removes the registration; does nothing if there is none.
  final func unregister() { unregister(outdating: kind != .mailbox) }

  /// Removes the registration.
  ///
  /// `outdating` says whether audiences above are discarded. It is false for a listener that is in
  /// no audience, or that the caller removes from its audience.
  final func unregister(outdating: Bool) {
    guard let core = node?.strong, let listeners = core.contents?.listeners else { return }
    node = nil
    listeners.own.swapRemove(at: index) { $0.index = $1 }
    core.removeListenerBits(outdating: outdating)
  }
}

/// An unretained reference to a listener. It is valid while the listener's node, or an audience
/// with the listener, is retained.
@safe
struct ListenerRef: Equatable {
  private let listener: Unmanaged<Listener>

  init(_ listener: Listener) { unsafe self.listener = .passUnretained(listener) }

  /// A strong reference to the listener.
  var strong: Listener { unsafe listener.takeUnretainedValue() }

  /// Calls the closure with the listener, without retaining the listener.
  @inline(__always)
  func with<R>(_ body: (Listener) throws -> R) rethrows -> R {
    try unsafe listener._withUnsafeGuaranteedRef { try body($0) }
  }

  /// Prefetches the part of the listener that a call reads.
  @inline(__always)
  func prefetchForCall() { unsafe lineage_prefetch(listener.toOpaque() + 64) }

  static func == (a: ListenerRef, b: ListenerRef) -> Bool {
    unsafe a.listener.toOpaque() == b.listener.toOpaque()
  }
}

extension Listener {
  /// Returns the listener as an object of the given class, which must be the class of its kind.
  /// Only a debug build checks the cast.
  @inline(__always)
  final func cast<ListenerKind: Listener>(to type: ListenerKind.Type) -> ListenerKind {
    unsafe unsafeDowncast(self, to: type)
  }

  /// Calls the closure with the listener as an object of the given class, which must be the class
  /// of its kind.
  ///
  /// The closure receives the listener without a further reference. For the call of an observer,
  /// the compiler retains the result of ``cast(to:)``, which is a sixth of the cost of a
  /// notification (`late delivery`).
  @inline(__always)
  final func with<ListenerKind: Listener>(
    as type: ListenerKind.Type, _ body: (ListenerKind) -> Void
  ) {
    body(unsafe unsafeDowncast(self, to: type))
  }
}

/// An unretained reference to an audience. It is valid until the end of the round that calls the
/// audience, because the round retains the audience.
@safe
struct AudienceRef {
  private let audience: Unmanaged<Audience>

  init(_ audience: Audience) { unsafe self.audience = .passUnretained(audience) }

  /// Marks the audience as one with ended listeners. Returns the audience, or nil if it was marked
  /// before.
  func becomeStale() -> Audience? {
    unsafe audience._withUnsafeGuaranteedRef {
      if $0.isStale { return nil }
      $0.isStale = true
      return $0
    }
  }
}
