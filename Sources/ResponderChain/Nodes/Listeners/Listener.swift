import CLineageRuntime
import Synchronization

/// One registration at a node, of one of four kinds.
@usableFromInline
class Listener {
  enum ListenerKind: UInt8 {
    case observer
    case waiting
    case branch
    case mailbox
  }

  // What a call does not need comes first, so that what it needs lies together with an observer's.
  final let key: any ErasedKey.Type
  /// The position among all registrations: earlier ones are called first.
  final let number: UInt64
  /// In the round of this number it is called at this place and no other, because it moved;
  /// at ``nowhere``, because it was detached by a callback.
  final var moved: (round: UInt64, order: UInt64) = (0, 0)
  final let id: KeyID
  private final var place: UInt32 = 0
  final let kind: ListenerKind
  /// Whether the registration only waits to be removed.
  private final let isOver = Atomic<Bool>(false)
  private final var node: CoreRef?

  static let nowhere = UInt64.max
  private static let numbers = Atomic<UInt64>(0)

  init(_ kind: ListenerKind, _ key: any ErasedKey.Type) {
    self.kind = kind
    self.key = key
    id = key.id
    number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Ends the registration, which is removed later, with others of its node.
  ///
  /// Works from any thread, and more than once.
  func end() { isOver.store(true, ordering: .sequentiallyConsistent) }

  /// Whether the registration only waits to be removed.
  final var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  /// Ends the registration with its node, whose responder is in its deinit, on any thread.
  func nodeWillEnd() {}

  /// Lets a branch's child be checked again, because something above changed.
  func unsettle() {}

  /// Remembers how a wait ends, even if that no longer holds when the task runs.
  func note(_ answer: Answer) {}

  /// Takes what it carries to the mailbox of the tree in which the node is now.
  func bind(to mailbox: Mailbox?) {}

  /// The index in the node's list.
  fileprivate(set) final var index: Int {
    get { Int(place) }
    set { place = UInt32(newValue) }
  }

  /// The node at which it is registered.
  final var core: CoreRef? { node }

  /// Registers with a node and tells all its ancestors.
  final func register(at core: Core) {
    node = CoreRef(core)
    let listeners = core.madeListeners()
    if listeners.own.count >= listeners.sweepAt { listeners.sweep() }
    // Before the nodes above know of it; may sweep.
    let joined = kind == .waiting || kind == .observer ? core.joinAudience(self) : nil
    let wasActive = listeners.isActive
    index = listeners.own.count
    listeners.own.append(self)
    if kind == .observer { core.set(NodeBits.needsTeardown, true) }
    // A listener for the mailbox is in no audience.
    core.spreadListening(
      id.bit, wasActive: wasActive, outdating: kind != .mailbox, joined: joined)
  }

  /// Removes the registration; does nothing if there is none.
  final func unregister() { unregister(outdating: kind != .mailbox) }

  /// Removes the registration.
  ///
  /// `outdating` is false for a listener that is in no audience, or is being taken out of it.
  final func unregister(outdating: Bool) {
    guard let core = node?.strong, let listeners = core.contents?.listeners else { return }
    node = nil
    listeners.own.swapRemove(at: index) { $0.index = $1 }
    core.fadeListening(outdating: outdating)
  }
}

/// A listener that is not retained. Valid as long as its node, or an audience that has it, is held.
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

  /// Asks the processor for the part of the listener that a notification needs.
  @inline(__always)
  func prefetchForCall() { unsafe prefetch_object(listener.toOpaque() + 64) }

  static func == (a: ListenerRef, b: ListenerRef) -> Bool {
    unsafe a.listener.toOpaque() == b.listener.toOpaque()
  }
}

extension Listener {
  /// Returns the listener as what its kind says that it is; a debug build checks it.
  @inline(__always)
  final func cast<ListenerKind: Listener>(to type: ListenerKind.Type) -> ListenerKind {
    unsafe unsafeDowncast(self, to: type)
  }
}

/// An audience that is not retained. Valid as long as the round in which it is told keeps it.
@safe
struct AudienceRef {
  private let audience: Unmanaged<Audience>

  init(_ audience: Audience) { unsafe self.audience = .passUnretained(audience) }

  /// Notes that some of the audience have ended.
  func becomeStale() { unsafe audience._withUnsafeGuaranteedRef { $0.isStale = true } }
}
