import CLineageRuntime
import Synchronization

/// One round of notifications: everything that changed, told in one order.
///
/// Changes put those they concern into the queue; the outermost change then calls them, the fewest
/// hops from the root first, the earlier registered first among equals. What a callback changes
/// joins the same round, because the round is under way until it is done. A thread has one at a time,
/// and the same object for all of them, with the memory it has by now.
///
/// A responder that is unlinked, and one at which something changed, is kept until the round is
/// done: so whoever is queued is alive, without a reference of its own.
final class Round {
  private var number: UInt64 = 0
  private var isUnderWay = false
  private var isCalling = false
  /// Whether observers are called no more; the waiting are still woken, branches still checked.
  private var hasFaulted = false
  /// Whether any listener's `moved` is of this round.
  private var hasMoved = false
  /// Counts what may have changed anybody's answer.
  private var changes = 0
  private var faults: [Fault] = []
  private var drifted: [Drift] = []
  // Overlapping changes of these two are not looked for at each access: only the functions here
  // change them, and none calls anybody meanwhile.
  @exclusivity(unchecked) private var queue = RoundQueue()
  /// Replaced values, unlinked responders and audiences, released after the notification.
  @exclusivity(unchecked) private var kept: [AnyObject] = []
  /// Whether what a round has kept is being released.
  private var isReleasing = false
  /// What the rounds have kept that were caused by that.
  ///
  /// Exclusivity is checked here: without, a release build released values twice, which
  /// `DepthTests.links` finds.
  private var deferred: [AnyObject] = []

  private static let numbers = Atomic<UInt64>(0)
  /// So many rounds of a thread are numbered at once.
  private static let numberCount: UInt64 = 1024
  private static let callLimit: UInt8 = 100
  /// So many observers share the cost of being claimed.
  private static let claimCount = 16
  /// Memory for more objects than this is given back.
  private static let keptLimit = 256

  /// Runs a change in the current round, or in one of its own which it ends by notifying.
  static func perform<R>(_ change: (Round) throws -> R) rethrows -> R {
    // Whoever calls is on the thread that keeps it.
    try ThreadState.round._withUnsafeGuaranteedRef { round in
      if round.isUnderWay { return try change(round) }
      round.begin()
      defer { round.finish() }
      return try change(round)
    }
  }

  private func begin() {
    isUnderWay = true
    // No two rounds have a number in common, on whatever threads.
    if number % Self.numberCount == 0 {
      number = Self.numbers.wrappingAdd(Self.numberCount, ordering: .relaxed).oldValue
    }
    number += 1
  }

  /// Keeps an object alive until everybody was notified.
  func keep(_ object: AnyObject) { kept.append(object) }

  /// The same for a responder that may be in its deinit, where nobody may keep it; those below hear
  /// when its parent's round finds them.
  ///
  /// Asks the runtime, since for a weak reference each responder that listens would need a table
  /// beside it, which every count of its references would go through.
  private func keepIfAlive(_ responder: Responder) -> Bool {
    let object = Unmanaged.passUnretained(responder).toOpaque()
    guard let kept = swift_tryRetain(object) else { return false }
    keep(Unmanaged<Responder>.fromOpaque(kept).takeRetainedValue())
    return true
  }

  /// Reports a drift when everybody has heard what changed.
  func report(_ drift: Drift) { drifted.append(drift) }

  /// A slot changed: queues all it concerns, and unsettles branches made of it.
  func slotChanged(_ id: KeyID, at start: Responder) {
    changes += 1
    guard let listening = start.contents?.listening, listening.isActive else { return }
    guard keepIfAlive(start) else { return }
    let (top, depth) = start.core.top()
    if top.parent != nil, let orphan = top === start.core ? start : top.responder {
      bury(above: orphan)
    }
    tell(listening.audience(id) ?? newAudience(id, at: start.core, listening), depth)
  }

  /// A subtree was linked or unlinked: queues all its listeners, whatever they listen to.
  func moved(_ start: Responder, isDetached: Bool = false) {
    changes += 1
    guard let listening = start.contents?.listening, listening.isActive else { return }
    keep(start)
    hasMoved = true
    let mailbox = start.attachedTree?.mailbox
    // The end of an attachment is no news to those whom a running round has not yet reached.
    let leaves = isCalling && isDetached
    let depth = start.core.top().depth
    var found: [(level: Int, listener: Listener)] = []
    listening.descend(from: start.core, bits: NodeBits.keys, remembering: false) {
      level, listener in
      switch listener.kind {
      case .promise: (listener as? TreeListener)?.bind(to: mailbox)
      case .observer where leaves: listener.moved = (number, Listener.nowhere)
      case .observer, .waiting, .branch:
        found.append((level, listener))
        listener.moved = (number, Audience.order(depth + level, listener.number))
      }
      return true
    } into: { _ in
      true
    }
    tell(Audience(KeyID(Never.self), found), depth)
  }

  /// Unlinks a responder from a parent that is gone, and tells everybody in its subtree.
  func bury(above responder: Responder) {
    guard let parent = responder.parentCore, parent.isDead else { return }
    keep(parent)
    responder.link(to: nil)
    responder.forgetTree()
    moved(responder)
  }

  private func newAudience(_ id: KeyID, at start: Core, _ listening: Listening) -> Audience {
    var found: [(level: Int, listener: Listener)] = []
    var hasBranch = false
    let sweeps = listening.descend(from: start, bits: id.bit, remembering: true) {
      level, listener in
      guard listener.id == id, listener.kind != .promise else { return false }
      found.append((level, listener))
      return true
    } into: { child in
      guard let entry = child.ownEntry(id) else { return true }
      let isBranch = entry.pointee.slot?.takeUnretainedValue().branch != nil
      if isBranch { hasBranch = true }
      return isBranch
    }
    // Also where the start is not passed, because nobody listens to the key: that is remembered too.
    listening.isRemembered = true
    let audience = Audience(id, found, common: hasBranch ? nil : .passUnretained(start))
    // Sweeping outdated what was being remembered.
    if !sweeps {
      listening.audiences.removeAll { $0.id == id }
      listening.audiences.append(audience)
    }
    return audience
  }

  private func tell(_ audience: Audience, _ depth: Int) {
    keep(audience)
    for branch in audience.branches { branch.slot.unsettle() }
    if !audience.waiting.isEmpty { noteAnswers(audience) }
    queue.add(audience, depth: depth, changes: changes)
  }

  /// Tells the waiting what they must not miss, which is the same for all where no branch is
  /// between.
  private func noteAnswers(_ audience: Audience) {
    let answersAll = audience.common != nil
    for waiting in audience.waiting where !waiting.isOver {
      guard let core = waiting.core else { continue }
      let answer = core.answerWithoutMaking(waiting.id)
      if answersAll, case .value = answer { return }
      waiting.note(answer)
    }
  }

  private func finish() {
    isCalling = true
    // In local variables while nobody else can see them: the loop is the cost of a notification.
    var comparison = CellComparison()
    while true {
      while let run = queue.takeFirst() {
        call(run, &comparison)
      }
      guard !drifted.isEmpty else { break }
      let reports = drifted
      drifted = []
      for drift in reports { drift.responder.application?.onDrift?(drift) }
    }
    // What is released now may change trees in its deinit: that is a round of its own.
    let faults = faults
    var released: [AnyObject] = []
    swap(&released, &kept)
    reset()
    release(&released)
    if kept.capacity < released.capacity { swap(&released, &kept) }
    for fault in faults { fault.responder.report(fault) }
  }

  /// Releases what a round has kept, one after the other: what rounds keep that are caused by it is
  /// released afterwards, not further down the stack.
  @inline(__always)
  private func release(_ released: inout [AnyObject]) {
    if isReleasing { return deferRelease(&released) }
    isReleasing = true
    released.removeAll(keepingCapacity: released.capacity <= Self.keptLimit)
    if !deferred.isEmpty { releaseDeferred() }
    isReleasing = false
  }

  @inline(never)
  private func deferRelease(_ released: inout [AnyObject]) {
    deferred.append(contentsOf: released)
    released = []
  }

  @inline(never)
  private func releaseDeferred() {
    while !deferred.isEmpty {
      var caused: [AnyObject] = []
      swap(&caused, &deferred)
      caused.removeAll()
    }
  }

  private func reset() {
    isUnderWay = false
    isCalling = false
    hasFaulted = false
    hasMoved = false
    changes = 0
    if !faults.isEmpty { faults = [] }
    if queue.capacity > Self.keptLimit { queue = RoundQueue() }
  }

  /// Calls the first of the queue, and all after it until somebody else comes first.
  private func call(_ run: RoundQueue.Run, _ comparison: inout CellComparison) {
    var run = run
    // The answer of all, as long as nothing changed since they were found.
    var common: Unmanaged<Cell>?
    var isCommonKnown = false
    var claimed = run.places[run.cursor..<run.cursor]
    var ledger = ReferenceLedger(expecting: run.places.count - run.cursor)
    defer {
      let places = run.places
      Observer.claim(places[places.endIndex..<places.endIndex], givingBack: claimed)
      ledger.close()
    }
    while run.cursor < run.places.count {
      if !queue.isEmpty, queue.comes(before: run) { return queue.add(run) }
      if run.cursor == claimed.endIndex {
        let next = run.next(Self.claimCount)
        Observer.claim(next, givingBack: claimed)
        Observer.askAhead(run.next(Self.claimCount, after: next.endIndex))
        claimed = next
      }
      let order = run.order
      let listener = run.places[run.cursor].listener
      run.cursor += 1
      if run.changes != changes {
        common = nil
      } else if !isCommonKnown {
        isCommonKnown = true
        common = run.common.flatMap { core in
          listener._withUnsafeGuaranteedRef { listener in
            core._withUnsafeGuaranteedRef { $0.cell(listener.id) }
          }
        }
      }
      let goesOn = listener._withUnsafeGuaranteedRef { listener in
        if listener.hasEnded {
          run.audience._withUnsafeGuaranteedRef { $0.isStale = true }
          if listener.kind == .observer {
            unsafeDowncast(listener, to: Observer.self).remember(.missing)
          }
          return true
        }
        return hasMoved && listener.moved.round == number && listener.moved.order != order
          || call(listener, common, &comparison, &ledger)
      }
      if !goesOn { hasFaulted = true }
    }
  }

  /// Calls one listener; false ends the round.
  private func call(
    _ listener: Listener, _ common: Unmanaged<Cell>?, _ comparison: inout CellComparison,
    _ ledger: inout ReferenceLedger
  ) -> Bool {
    guard let node = listener.unretainedCore else { return true }
    switch listener.kind {
    case .promise: break
    case .waiting:
      // Also when there is nothing yet: it may have moved to a tree with another mailbox.
      unsafeDowncast(listener, to: Waiting.self).waiter.wake()
    case .branch:
      // Reports are given when everybody has heard what changed.
      let slot = unsafeDowncast(listener, to: BranchListener.self).slot
      if let drift = slot.recheck() { drifted.append(drift) }
      node.takeUnretainedValue().tree?.watch(slot)
    case .observer where hasFaulted: break
    case .observer:
      let observer = unsafeDowncast(listener, to: Observer.self)
      if let cell = common ?? node._withUnsafeGuaranteedRef({ $0.cell(listener.id) }) {
        return call(observer, Heard(value: cell), &comparison, &ledger)
      }
      let answer = node._withUnsafeGuaranteedRef { $0.answer(listener.id) }
      return withExtendedLifetime(answer) { call(observer, Heard(answer), &comparison, &ledger) }
    }
    return true
  }

  /// Calls an observer unless it has heard that already.
  private func call(
    _ observer: Observer, _ answer: Heard, _ comparison: inout CellComparison,
    _ ledger: inout ReferenceLedger
  ) -> Bool {
    if let cell = answer.cell {
      if let last = observer.last.cell, comparison.isEqual(last, cell, observer.key) {
        return true
      }
    } else if observer.last.isSameState(as: answer) {
      return true
    }
    guard observer.countCall(in: number) <= Self.callLimit else {
      let responder = observer.target
      faults.append(Fault(responder: responder, key: observer.key.key))
      return false
    }
    observer.call(answer, &ledger)
    return true
  }
}

extension Listening {
  /// Those whom a change of the node's slot for a key concerns, if it is known.
  fileprivate func audience(_ id: KeyID) -> Audience? {
    for audience in audiences where audience.id == id {
      if audience.isStale { break }
      audience.settle()
      return audience
    }
    return audiences.isEmpty ? nil : sweptAudience(id)
  }

  /// The audience without those that have ended; nil if there is none, or if it is being told, since
  /// it may lose nobody then.
  @inline(never)
  private func sweptAudience(_ id: KeyID) -> Audience? {
    guard let index = audiences.firstIndex(where: { $0.id == id }),
      isKnownUniquelyReferenced(&audiences[index])
    else { return nil }
    audiences[index].sweep()
    return audiences[index]
  }

  /// Visits listeners level by level, wherever there are any for one of the keys.
  ///
  /// - Returns: whether ended observers were swept on the way.
  @discardableResult
  fileprivate func descend(
    from start: Core, bits: UInt64, remembering: Bool,
    visit: (Int, Listener) -> Bool, into isEntered: (Core) -> Bool
  ) -> Bool {
    var sweeps = false
    var nodes = [Unmanaged.passUnretained(start)]
    var next: [Unmanaged<Core>] = []
    var level = 0
    while !nodes.isEmpty {
      for node in nodes {
        guard let listening = node._withUnsafeGuaranteedRef({ $0.contents?.listening }),
          listening.keyBits & bits != 0
        else { continue }
        if remembering { listening.isRemembered = true }
        var isUseful = false
        var hasEnded = false
        for listener in listening.own {
          if listener.hasEnded {
            hasEnded = true
          } else if visit(level, listener) {
            isUseful = true
          }
        }
        for child in listening.children {
          let below = child._withUnsafeGuaranteedRef { $0.contents?.listening?.keyBits ?? 0 }
          guard below & bits != 0 else { continue }
          isUseful = true
          if child._withUnsafeGuaranteedRef(isEntered) { next.append(child) }
        }
        if hasEnded {
          sweeps = true
          listening.sweep()
        }
        if !isUseful { listening.recountBits() }
      }
      swap(&nodes, &next)
      next.removeAll(keepingCapacity: true)
      level += 1
    }
    return sweeps
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
