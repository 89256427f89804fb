import Synchronization

/// One round of notifications: everything that changed, told in one order.
///
/// Changes put those they concern into the queue; the outermost change then calls them, the fewest
/// hops from the root first, the earlier registered first among equals. What a callback changes
/// joins the same round, because the round is the thread's current one until it is done.
final class Round {
  private var batch = RoundQueue()
  private var comparison = AnswerComparison()
  private var isCalling = false
  /// Replaced slots and links, released after the notification.
  private var kept: [AnyObject] = []
  private var drifted: [Drift] = []

  private let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue

  private static let numbers = Atomic<UInt64>(0)
  private static let callLimit = 100

  /// Runs a change in the current round, or in one of its own which it ends by notifying.
  static func perform<R>(_ change: (Round) throws -> R) rethrows -> R {
    if let current = ThreadState.round { return try change(current) }
    let round = Round()
    ThreadState.round = round
    defer {
      round.finish()
      ThreadState.round = nil
    }
    return try change(round)
  }

  /// Whether callbacks are being called, not only changes being made.
  var isNotifying: Bool { isCalling }

  /// Keeps an object alive until everybody was notified.
  func keep(_ object: AnyObject) { kept.append(object) }

  /// A slot changed: queues all it concerns, and unsettles branches made of it.
  func slotChanged(_ id: KeyID, at start: Core) {
    let depth = depth(of: start)
    guard start.contents?.listening != nil else { return }
    descend(from: start, depth: depth, bits: id.bit) { listener in
      if listener.id == id { self.concern(listener) }
      return listener.id == id
    } into: { child in
      guard let entry = child.ownEntry(id) else { return true }
      return entry.pointee.slot?.takeUnretainedValue().branch != nil
    }
  }

  /// A subtree was linked or unlinked: queues all its listeners.
  func moved(_ start: Core) {
    guard start.contents?.listening != nil else { return }
    let mailbox = start.tree?.mailbox
    // The end of an attachment is no news to those whom a running round has not yet reached.
    let leaves = isCalling && mailbox == nil
    descend(from: start, depth: start.top().depth, bits: NodeBits.keys) { listener in
      switch listener.role {
      case .promise(let promise): promise.bind(to: mailbox)
      case .observer where leaves: listener.queuedAt = nil
      case .observer, .waiter, .branch: self.concern(listener)
      }
      return true
    } into: { _ in
      true
    }
  }

  /// A branch's child may have become clean, or a responder asked to be told again.
  func recheck(_ listener: Listener) {
    guard let core = listener.core else { return }
    batch.add(listener, core, depth: depth(of: core))
  }

  /// Reports a drift when everybody has heard what changed.
  func report(_ drift: Drift) { drifted.append(drift) }

  private func concern(_ listener: Listener) {
    guard let core = listener.core, let depth = pendingDepth else { return }
    switch listener.role {
    case .branch(let slot): slot.takeUnretainedValue().unsettle()
    case .waiter(let waiter): waiter.note(core.answer(listener.id))
    case .observer, .promise: break
    }
    batch.add(listener, core, depth: depth)
  }

  /// The depth of the level a descent is at.
  private var pendingDepth: Int?

  /// The hops to the top; first takes note of a parent that died.
  private func depth(of core: Core) -> Int {
    let (top, depth) = core.top()
    if top.parent != nil, let responder = top.responder { bury(above: responder) }
    return depth
  }

  /// Unlinks a responder from a parent that is gone, and tells everybody in its subtree.
  func bury(above responder: Responder) {
    guard let parent = responder.core.parent?.takeUnretainedValue(), parent.isDead else { return }
    keep(parent)
    responder.core.link(to: nil)
    responder.core.forgetTree()
    moved(responder.core)
  }

  /// Visits listeners level by level, wherever there are any for one of the keys.
  private func descend(
    from start: Core, depth: Int, bits: UInt64,
    visit: (Listener) -> Bool, into isEntered: (Core) -> Bool
  ) {
    var level = [Unmanaged.passUnretained(start)]
    var next: [Unmanaged<Core>] = []
    var depth = depth
    while !level.isEmpty {
      pendingDepth = depth
      for node in level {
        guard let listening = node._withUnsafeGuaranteedRef({ $0.contents?.listening }),
          listening.keyBits & bits != 0
        else { continue }
        var isUseful = false
        var hasEnded = false
        for listener in listening.own {
          if listener.hasEnded {
            hasEnded = true
          } else if visit(listener) {
            isUseful = true
          }
        }
        for child in listening.children {
          let below = child._withUnsafeGuaranteedRef { $0.contents?.listening?.keyBits ?? 0 }
          guard below & bits != 0 else { continue }
          isUseful = true
          if child._withUnsafeGuaranteedRef(isEntered) { next.append(child) }
        }
        if hasEnded { listening.sweep() }
        if !isUseful { listening.recountBits() }
      }
      swap(&level, &next)
      next.removeAll(keepingCapacity: true)
      depth += 1
    }
    pendingDepth = nil
  }

  private func finish() {
    isCalling = true
    while true {
      while let (listener, core) = batch.next() {
        guard call(listener, core) else {
          batch.removeAll()
          break
        }
      }
      guard !drifted.isEmpty else { break }
      let reports = drifted
      drifted = []
      for drift in reports { drift.responder.application?.onDrift?(drift) }
    }
    isCalling = false
    // The values' own deinit may change trees again: that joins a round after this one.
    let released = kept
    kept = []
    ThreadState.round = nil
    withExtendedLifetime(released) {}
  }

  /// Calls one listener; false ends the round.
  private func call(_ listener: Listener, _ core: Core) -> Bool {
    switch listener.role {
    case .promise: return true
    case .waiter(let waiter):
      // Also when there is nothing yet: it may have moved to a tree with another mailbox.
      waiter.wake()
      return true
    case .branch(let slot):
      // Reports are given when everybody has heard what changed.
      if let drift = slot.takeUnretainedValue().recheck() {
        core.tree?.drifting.append(
          DriftingBranch(responder: Weak(drift.responder), id: listener.id))
        drifted.append(drift)
      }
      return true
    case .observer(let body):
      guard let responder = core.responder else { return true }
      let answer = core.answer(listener.id)
      if let last = listener.last, comparison.isEqual(last, answer, listener.key) { return true }
      listener.calls = (number, listener.calls.round == number ? listener.calls.count + 1 : 1)
      guard listener.calls.count <= Self.callLimit else {
        responder.report(Fault(responder: responder, key: listener.key.key))
        return false
      }
      listener.last = answer
      body.call(responder, answer)
      return true
    }
  }
}

extension Listening {
  /// Forgets bits of keys that nobody here or below listens to any more.
  func recountBits() {
    keyBits = own.reduce(0) { $0 | $1.id.bit }
    for child in children {
      keyBits |= child.takeUnretainedValue().contents?.listening?.keyBits ?? 0
    }
  }
}

/// An observer that was called more than a hundred times in one round, which ended it.
public struct Fault: CustomStringConvertible {
  /// The responder that observes.
  public let responder: Responder
  /// What it observes.
  public let key: any ContextKey.Type

  /// One sentence that names the key and the responder.
  public var description: String {
    "An observer of \(key) at \(responder.path) was called more than 100 times in one round of "
      + "notifications: a callback changes what it observes. The round was ended."
  }
}
