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

  // What a call does not need comes first, so that what it needs lies together with an observer's.
  let key: any ErasedKey.Type
  /// Who registered first is called first.
  let number: UInt64
  /// In the round of this number it is called at this place and no other, because it moved;
  /// at ``nowhere``, because it was detached by a callback.
  var moved: (round: UInt64, order: UInt64) = (0, 0)
  let id: KeyID
  private var place: UInt32 = 0
  let kind: Kind
  private var node: Unmanaged<Core>?

  static let nowhere = UInt64.max
  private static let numbers = Atomic<UInt64>(0)

  init(_ kind: Kind, _ key: any ErasedKey.Type) {
    self.kind = kind
    self.key = key
    id = key.id
    number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Where it stands in the node's list.
  private(set) final var index: Int {
    get { Int(place) }
    set { place = UInt32(newValue) }
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
    // Before the nodes above know of it; may sweep.
    let joined = kind == .waiting || kind == .observer ? core.joinAudience(self) : nil
    let wasActive = listening.isActive
    index = listening.own.count
    listening.own.append(self)
    if kind == .observer { core.set(NodeBits.farewell, true) }
    // A promise's listener is in no audience.
    core.spreadListening(
      id.bit, wasActive: wasActive, outdating: kind != .promise, joined: joined)
  }

  /// Takes the registration back; does nothing if there is none.
  final func unregister() { unregister(outdating: kind != .promise) }

  /// The same for one that is in no audience, or is being taken out of it.
  final func unregister(outdating: Bool) {
    guard let core = node?.takeUnretainedValue(), let listening = core.contents?.listening
    else { return }
    node = nil
    listening.own.swapRemove(at: index) { $0.index = $1 }
    core.fadeListening(outdating: outdating)
  }

  /// Whether it is only waiting to be swept.
  final var hasEnded: Bool {
    switch kind {
    case .observer: unsafeDowncast(self, to: Observer.self).isEnded
    case .waiting: unsafeDowncast(self, to: Waiting.self).isOver
    case .branch, .promise: false
    }
  }
}

/// Resumes a suspended task.
final class Waiting: Listener {
  let waiter: Waiter
  /// Whether the task goes on. Its registration is swept with others of the same node, or by the
  /// next change that meets it: a crowd that goes on has better things to do.
  private(set) var isOver = false
  /// What ends the wait even if it no longer holds when the task runs.
  private(set) var verdict: Verdict?
  var deadline: Task<Void, Never>?

  init(_ key: any ErasedKey.Type, _ waiter: Waiter = Waiter()) {
    self.waiter = waiter
    super.init(.waiting, key)
  }

  enum Verdict {
    case failed(any Error)
    case blocked
  }

  /// Remembers a failure when it happens: those who waited for it throw, even if it is retried
  /// before their task runs.
  func note(_ answer: Answer) {
    guard verdict == nil else { return }
    switch answer {
    case .failed(let failure): verdict = .failed(failure.error)
    case .blocked: verdict = .blocked
    case .value, .pending, .missing: break
    }
  }

  func end() {
    isOver = true
    deadline?.cancel()
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
