import Synchronization

/// One round of notifications: everything that changed, told in one order.
///
/// Changes queue the listeners that they concern; the outermost change then calls them, the fewest
/// hops from the root first, the earlier registered first among equals. Changes in a callback join
/// the same round, because the round is under way until it is done. A thread has one at a time, and
/// the same object for all of them, with the memory it has by now.
///
/// A responder that is unlinked, and one at which something changed, is kept until the round is
/// done: so whatever is queued is alive, without a reference of its own.
final class Round {
  private var number: UInt64 = 0
  private var isUnderWay = false
  private var isCalling = false
  /// Whether observers are called no more; waits still end, branches are still checked.
  private var hasFaulted = false
  /// Whether any listener's `moved` is of this round.
  private var hasMoved = false
  /// The number of changes that may have changed an answer.
  private var changes = 0
  private var faults: [Fault] = []
  private var drifted: [Drift] = []
  // Exclusivity is not checked for these two, because the checks cost a sixth of a change
  // (`root replaced`). This is safe because no function that changes them calls out meanwhile.
  @exclusivity(unchecked) private var queue = RoundQueue()
  /// Replaced values, unlinked responders and audiences, released after the notification.
  @exclusivity(unchecked) private var kept: [AnyObject] = []
  /// Whether the kept objects of a round are being released.
  private var isReleasing = false
  /// The kept objects of the rounds that were caused by that.
  private var deferred: [AnyObject] = []

  private static let current = ThreadLocal { Round() }
  private static let numbers = Atomic<UInt64>(0)
  /// The number of rounds of a thread that are numbered at once.
  private static let numberCount: UInt64 = 1024
  private static let callLimit: UInt8 = 100
  /// The number of observers that share one memory fence.
  private static let claimCount = 16
  /// The number of objects beyond which memory is given back.
  private static let keptLimit = 256

  /// Runs a change in the current round, or in one of its own which it ends by notifying.
  @inline(__always)
  static func perform<R>(_ change: (Round) throws -> R) rethrows -> R {
    try current.with { round in
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

  /// Keeps an object alive until all listeners were notified.
  func keep(_ object: consuming AnyObject) { unsafe kept.append(object) }

  @inline(__always)
  private func keepIfAlive(_ responder: Responder) -> Bool {
    guard let kept = responder.strongReference else { return false }
    keep(consume kept)
    return true
  }

  /// Reports a drift when all listeners have heard what changed.
  func report(_ drift: Drift) { drifted.append(drift) }

  /// Queues the listeners that a slot's change concerns, and unsettles branches made of it.
  func slotChanged(_ id: KeyID, at start: Responder) {
    changes += 1
    guard let listeners = start.contents?.listeners, listeners.isActive else { return }
    // In its deinit none may keep it; the listeners below hear when its parent's round finds them.
    guard keepIfAlive(start) else { return }
    let core = start.core
    let (top, depth) = core.top()
    if top.parent != nil, let orphan = top === core ? start : top.responder {
      detachFromDeadParent(orphan)
    }
    tell(listeners.audience(of: id, below: core), depth)
  }

  /// Queues all listeners of a subtree that was linked or unlinked, whatever their keys.
  func moved(_ start: Responder, isDetached: Bool = false) {
    changes += 1
    guard let listeners = start.contents?.listeners, listeners.isActive else { return }
    keep(start)
    hasMoved = true
    let mailbox = start.attachedTree?.mailbox
    // The end of an attachment is no news to those whom a running round has not yet reached.
    let leaves = isCalling && isDetached
    let core = start.core
    let depth = core.top().depth
    var found: [(level: Int, listener: Listener)] = []
    core.visitListeners { level, listener in
      switch listener.kind {
      case .mailbox: listener.bind(to: mailbox)
      case .observer where leaves: listener.moved = (number, Listener.nowhere)
      case .observer, .waiting, .branch:
        found.append((level, listener))
        listener.moved = (number, Audience.order(depth + level, listener.number))
      }
    }
    tell(Audience(KeyID(Never.self), found), depth)
  }

  /// Unlinks a responder from a parent that is gone, and tells all listeners in its subtree.
  func detachFromDeadParent(_ responder: Responder) {
    guard let parent = responder.parentCore, parent.isDead else { return }
    keep(parent)
    responder.link(to: nil)
    responder.forgetTree()
    moved(responder)
  }

  private func tell(_ audience: consuming Audience, _ depth: Int) {
    if !audience.branches.isEmpty { audience.branches.forEach { $0.unsettle() } }
    if !audience.waiting.isEmpty { noteAnswers(audience) }
    unsafe queue.add(audience, depth: depth, changes: changes)
    keep(audience)
  }

  /// Tells waits the answer, which they must not miss; it is the same for all where no branch is
  /// between.
  private func noteAnswers(_ audience: Audience) {
    let answersAll = audience.common != nil
    for waiting in audience.waiting where !waiting.hasEnded {
      guard let core = waiting.core?.strong else { continue }
      let answer = core.answerWithoutMaking(waiting.id)
      if answersAll, case .value = answer { return }
      waiting.note(answer)
    }
  }

  private func finish() {
    isCalling = true
    var comparison = CellComparison()
    while true {
      while let run = unsafe queue.takeFirst() {
        call(run, &comparison)
      }
      guard !drifted.isEmpty else { break }
      let reports = drifted
      drifted = []
      for drift in reports { drift.responder.reporter?.report(drift) }
    }
    // A deinit of a released object may change trees: that is a round of its own.
    let faults = faults
    var released: [AnyObject] = []
    unsafe swap(&released, &kept)
    reset()
    release(&released)
    if unsafe kept.capacity < released.capacity { unsafe swap(&released, &kept) }
    for fault in faults { fault.report() }
  }

  /// Releases the kept objects of a round, one after the other.
  ///
  /// The kept objects of rounds that this causes are released afterwards, not further down the stack.
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
    if unsafe queue.capacity > Self.keptLimit { unsafe queue = RoundQueue() }
  }

  /// Calls the first of the queue, and all after it until one of another audience comes first.
  private func call(_ run: RoundQueue.Run, _ comparison: inout CellComparison) {
    let members = run.members
    let count = members.count
    var cursor = run.cursor
    // The answer of all, as long as nothing changed since they were found.
    var common: CellRef?
    var isCommonKnown = false
    var claimed = cursor..<cursor
    var ledger = ReferenceLedger(expecting: count - cursor)
    defer {
      Observer.claim(count..<count, givingBack: claimed, in: members)
      ledger.close()
    }
    while cursor < count {
      let order = run.order(at: cursor)
      if unsafe !queue.isEmpty, unsafe queue.comes(before: order) {
        return unsafe queue.add(run.rest(from: cursor))
      }
      if cursor == claimed.endIndex {
        let next = cursor..<min(cursor + Self.claimCount, count)
        Observer.claim(next, givingBack: claimed, in: members)
        Observer.prefetch(next.endIndex..<min(next.endIndex + Self.claimCount, count), in: members)
        claimed = next
      }
      let listener = members[cursor].listener
      cursor += 1
      if run.changes != changes {
        common = nil
      } else if !isCommonKnown {
        isCommonKnown = true
        common = run.common.flatMap { core in
          core.with { core in listener.with { core.cell($0.id) } }
        }
      }
      let goesOn = listener.with { listener in
        if listener.hasEnded {
          run.audience.becomeStale()
          if listener.kind == .observer { listener.cast(to: Observer.self).remember(.missing) }
          return true
        }
        return hasMoved && listener.moved.round == number && listener.moved.order != order
          || call(listener, common, &comparison, &ledger)
      }
      if !goesOn { hasFaulted = true }
    }
  }

  /// Calls one listener; false ends the round.
  @inline(__always)
  private func call(
    _ listener: Listener, _ common: CellRef?, _ comparison: inout CellComparison,
    _ ledger: inout ReferenceLedger
  ) -> Bool {
    guard let node = listener.core else { return true }
    switch listener.kind {
    case .mailbox: break
    case .waiting:
      // Also when there is nothing yet: it may have moved to a tree with another mailbox.
      listener.cast(to: WaitRegistration.self).sleeper.wake()
    case .branch:
      // Reports are given when all listeners have heard what changed.
      let slot = listener.cast(to: BranchListener.self).slot
      if let drift = slot.recheck() { drifted.append(drift) }
      if let tree = node.strong.tree { slot.watchDrift(in: tree) }
    case .observer where hasFaulted: break
    case .observer:
      let observer = listener.cast(to: Observer.self)
      if let cell = common ?? node.with({ $0.cell(listener.id) }) {
        return call(observer, UnretainedAnswer(cell), &comparison, &ledger)
      }
      let answer = answer(listener.id, at: node.strong)
      return withExtendedLifetime(answer) {
        call(observer, UnretainedAnswer(answer), &comparison, &ledger)
      }
    }
    return true
  }

  /// Calls an observer unless it has heard that already; false if it was called too often.
  private func call(
    _ observer: Observer, _ answer: UnretainedAnswer, _ comparison: inout CellComparison,
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
      faults.append(Fault(responder: observer.target, key: observer.key.key))
      return false
    }
    observer.call(answer, &ledger)
    return true
  }
}
