import Synchronization

/// One registration at a node, of one of four kinds.
@usableFromInline
class Listener {
  enum Kind: UInt8 {
    case observer
    case waiting
    case branch
    case promise
  }

  let kind: Kind
  let key: any ErasedKey.Type
  let id: KeyID
  /// Who registered first is called first.
  let number: UInt64
  /// Where it stands in the node's list.
  private var index = 0
  private var node: Unmanaged<Core>?
  /// In the round of this number it is called at this place and no other, because it moved;
  /// nowhere, because it was detached by a callback.
  var moved: (round: UInt64, order: UInt64?) = (0, nil)

  private static let numbers = Atomic<UInt64>(0)

  init(_ kind: Kind, _ key: any ErasedKey.Type) {
    self.kind = kind
    self.key = key
    id = key.id
    number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// The node it is registered at.
  final var core: Core? { node?.takeUnretainedValue() }

  /// The same without a reference, for loops.
  final var unretainedCore: Unmanaged<Core>? { node }

  /// Registers with a node and tells all its ancestors.
  final func register(at core: Core) {
    node = .passUnretained(core)
    let listening = core.madeListening()
    if listening.own.count >= listening.sweepAt { listening.sweep() }
    let wasActive = listening.isActive
    index = listening.own.count
    listening.own.append(self)
    // A promise's listener is in no audience.
    core.spreadListening(id.bit, wasActive: wasActive, outdating: kind != .promise)
  }

  /// Takes the registration back; does nothing if there is none.
  final func unregister() {
    guard let core = node?.takeUnretainedValue(), let listening = core.contents?.listening
    else { return }
    node = nil
    listening.own.swapRemove(at: index) { $0.index = $1 }
    core.fadeListening(outdating: kind != .promise)
  }

  final var hasEnded: Bool {
    kind == .observer && unsafeDowncast(self, to: Observer.self).isEnded
  }
}

/// Calls a closure.
///
/// Either the round that calls the closure or the token that ends it may be the last to hold it, on
/// different threads. An atomic state says who lets go of it: the token, if nobody is calling; else
/// the caller when it is back.
@usableFromInline
final class Observer: Listener {
  @usableFromInline typealias Call = (Responder, Answer) -> Void

  private final class Body {
    let call: Call
    init(_ call: @escaping Call) { self.call = call }
  }

  private static let idle: UInt8 = 0
  private static let calling: UInt8 = 1
  private static let ended: UInt8 = 2

  private let state = Atomic<UInt8>(Observer.idle)
  private let body: Unmanaged<Body>
  /// Valid as long as the node is in a tree that a round holds.
  private let responder: Unmanaged<Responder>
  /// What it last heard; a value's cell and a failure are retained by hand.
  private(set) var last = Heard.missing
  /// How often it was called in the round with this number.
  private var calls = (round: UInt64(0), count: 0)

  init(_ responder: Responder, _ key: any ErasedKey.Type, _ call: @escaping Call) {
    body = .passRetained(Body(call))
    self.responder = .passUnretained(responder)
    super.init(.observer, key)
  }

  deinit {
    if !isEnded { body.release() }
    last.release()
  }

  var isEnded: Bool { state.load(ordering: .acquiring) == Self.ended }

  /// Calls the closure unless it ended. The caller sees to it that the responder lives.
  func call(_ answer: Answer) {
    remember(answer)
    let (claimed, _) = state.compareExchange(
      expected: Self.idle, desired: Self.calling, ordering: .acquiring)
    guard claimed else { return }
    responder._withUnsafeGuaranteedRef { responder in
      body._withUnsafeGuaranteedRef { $0.call(responder, answer) }
    }
    let (returned, _) = state.compareExchange(
      expected: Self.calling, desired: Self.idle, ordering: .releasing)
    if !returned { body.release() }
  }

  /// Remembers what it hears, or would have heard.
  func remember(_ answer: Answer) {
    let old = last
    last = Heard(retaining: answer)
    old.release()
  }

  /// Lets go of the closure; works from any thread, and more than once.
  func end() {
    if state.exchange(Self.ended, ordering: .acquiringAndReleasing) == Self.idle { body.release() }
  }

  /// Counts a call in a round.
  func countCall(in round: UInt64) -> Int {
    calls = (round, calls.round == round ? calls.count + 1 : 1)
    return calls.count
  }

  /// The responder it calls.
  var target: Responder { responder.takeUnretainedValue() }
}

/// Resumes a suspended task.
final class Waiting: Listener {
  let waiter = Waiter()

  init(_ key: any ErasedKey.Type) {
    super.init(.waiting, key)
  }
}

/// Lets go of a branch's child when it belongs to nothing any more.
final class BranchListener: Listener {
  unowned(unsafe) let slot: Slot

  init(_ slot: Slot) {
    self.slot = slot
    super.init(.branch, slot.key)
  }
}
