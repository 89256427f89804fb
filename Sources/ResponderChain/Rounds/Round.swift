import Synchronization

/// A round of notifications, which calls the listeners of several changes in one order.
///
/// Each change queues the listeners that it concerns. When the outermost change has been made, the
/// queued listeners are called: by stage, then by hops from the root, then by registration. Changes
/// in a callback join the same round. A thread has one round at a time, even for several trees: a
/// callback of one tree may change another tree, and that change is part of the same round. A
/// thread uses one object of this class for all its rounds, so that the memory of the lists is used
/// again.
///
/// A round retains each responder that is unlinked, or whose slots change, until the round ends. So
/// the queue need not retain the listeners.
final class Round {
  private var number: UInt64 = 0
  private var isUnderWay = false
  private var isCalling = false
  /// The rare events of this round so far.
  var events: RoundEvents = []
  /// The number of changes in this round that may have changed an answer.
  private var changes = 0
  private var faults: [Fault] = []
  private var drifted: [Drift] = []
  /// The object that follows this round; nil for most rounds.
  private var follower: (any RoundFollower)?
  /// The work that is queued for the end of each stage.
  private let stageWork = RoundStage.allCases.map { StageWork(at: $0) }
  /// The audiences in which ended listeners were found. The ended listeners are removed when all
  /// other listeners were called.
  var stale: [Audience] = []
  // Exclusivity checking is off for `queue` and `kept`, because each of them cost a sixth of a
  // change (`root replaced`). This is safe because no function calls other code while it changes
  // one of them.
  @exclusivity(unchecked) private var queue = RoundQueue()
  /// The replaced values, unlinked responders and audiences, which are retained until all listeners
  /// were called.
  @exclusivity(unchecked) private var kept: [AnyObject] = []
  /// Whether the kept objects of a round are being released.
  var isReleasing = false
  /// The objects that are released next. They were retained by rounds that ran while other objects
  /// were being released.
  var deferred: [AnyObject] = []
  /// Whether ``deferred`` may have objects.
  var hasDeferred = false

  private static let current = ThreadLocal { Round() }
  private static let numbers = Atomic<UInt64>(0)
  /// The number of round numbers that a thread reserves at a time.
  private static let numberCount: UInt64 = 1024
  private static let callLimit: UInt8 = 100
  /// The number of observers claimed with one memory fence.
  private static let claimCount = 16
  /// The capacity, in objects, beyond which a list frees its memory after a round.
  static let keptLimit = 256

  /// Makes a change in the current round. If there is none, begins a round, which calls the
  /// listeners after the change.
  @inline(__always)
  static func perform<R>(_ change: (Round) throws -> R) rethrows -> R {
    try current.with { round in
      if round.isUnderWay { return try change(round) }
      round.begin()
      defer { round.finish() }
      return try change(round)
    }
  }

  /// Whether a round is under way on this thread.
  static var isRunning: Bool { current.with { $0.isUnderWay } }

  private func begin() {
    isUnderWay = true
    // All rounds have different numbers, even on different threads.
    if number % Self.numberCount == 0 {
      number = Self.numbers.wrappingAdd(Self.numberCount, ordering: .relaxed).oldValue
    }
    number += 1
  }

  /// Keeps an object alive until all listeners have been called.
  func keep(_ object: consuming AnyObject) { unsafe kept.append(object) }

  @inline(__always)
  private func keepIfAlive(_ responder: Responder) -> Bool {
    guard let kept = responder.strongReference else { return false }
    keep(consume kept)
    return true
  }

  /// Queues work for the end of a stage of the current round. Outside a round, does the work at
  /// once in a round of its own.
  static func atEnd(of stage: RoundStage, _ work: @escaping () -> Void) {
    let isQueued = current.with { round in
      if round.isUnderWay { round.add(work, to: round.stageWork[Int(stage.rawValue)]) }
      return round.isUnderWay
    }
    if !isQueued { perform { _ in work() } }
  }

  /// Makes an object the follower of the current round. Does nothing outside a round.
  ///
  /// - Returns: false if the object was the round's follower already.
  static func follow(_ follower: any RoundFollower) -> Bool {
    current.with { round in
      guard round.isUnderWay else { return true }
      let isNew = round.follower !== follower
      round.follower = follower
      round.events.insert(.following)
      return isNew
    }
  }

  private func add(_ work: @escaping () -> Void, to stageWork: StageWork) {
    if stageWork.isEmpty { unsafe queue.add(stageWork) }
    stageWork.append(work)
  }

  /// Queues a report of a drift, which is made when all listeners have been called.
  func report(_ drift: Drift) {
    drifted.append(drift)
    events.insert(.drift)
  }

  /// Queues the listeners that a slot's change concerns, and makes the branches among them check
  /// their children again.
  func slotChanged(_ id: KeyID, at start: Responder) {
    changes += 1
    guard let listeners = start.contents?.listeners, listeners.isActive else { return }
    // A responder in its deinit must not be retained. Its listeners below are called when a later
    // round finds that their parent has ended.
    guard keepIfAlive(start) else { return }
    let core = start.core
    let (top, depth) = core.top()
    if top.parent != nil, let orphan = top === core ? start : top.responder {
      detachFromDeadParent(orphan)
    }
    tell(listeners.audience(of: id, below: core), depth)
  }

  /// Queues the listeners of a subtree that was linked or unlinked, whatever their keys. Mailbox
  /// listeners are not queued, but bound at once to the mailbox of the present tree.
  ///
  /// If a callback detaches observers, the running round does not call them. When a later change
  /// concerns such an observer, the new answer is compared with the last one that the observer
  /// received.
  func moved(_ start: Responder, isDetached: Bool = false) {
    changes += 1
    guard let listeners = start.contents?.listeners, listeners.isActive else { return }
    keep(start)
    events.insert(.move)
    let mailbox = start.attachedTree?.mailbox
    // A round that is calling listeners does not call observers that were detached meanwhile.
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
        let base = Audience.order(ofHops: depth)
        listener.moved = (number, Audience.order(of: listener, level: level) + base)
      case .work: break
      }
    }
    tell(Audience(KeyID(Never.self), found), depth)
  }

  /// Unlinks a responder from a parent that has ended, and queues all listeners in its subtree.
  /// Does nothing if the parent lives.
  func detachFromDeadParent(_ responder: Responder) {
    guard let parent = responder.parentCore, parent.isDead else { return }
    keep(parent)
    responder.link(to: nil)
    responder.forgetTree()
    moved(responder)
    // A responder in its deinit must not be retained.
    guard let attachment = responder.ownAttachment, responder.strongReference != nil else { return }
    attachment.didUnlink(responder)
  }

  private func tell(_ audience: consuming Audience, _ depth: Int) {
    if !audience.branches.isEmpty { audience.branches.forEach { $0.unpublish() } }
    if !audience.waiting.isEmpty { recordFailures(audience) }
    unsafe queue.add(audience, depth: depth, changes: changes)
    if let follower { follower.didChange(changes) }
    keep(audience)
  }

  /// Tells waits of a failure or block at once, because the slot may have another state before
  /// their tasks run. If the audience has a common node (``Audience/common``), all waits have the
  /// same answer. If that answer is a value, no wait is told.
  private func recordFailures(_ audience: Audience) {
    let answersAll = audience.common != nil
    for waiting in audience.waiting where !waiting.hasEnded {
      guard let core = waiting.core?.strong else { continue }
      let answer = core.answerWithoutMaking(waiting.id)
      if answersAll, case .value = answer { return }
      waiting.recordFailure(in: answer)
    }
  }

  private func finish() {
    isCalling = true
    var comparison = CellComparison()
    while true {
      while let run = unsafe queue.takeFirst() {
        follower?.willCall(run.changes)
        call(run, &comparison)
        follower?.didCall()
      }
      guard events.contains(.drift) else { break }
      reportDrifts()
    }
    if events.contains(.ended) { sweep() }
    // The release comes after the reset, because a deinit may change trees, and so begin another
    // round.
    let faults = events.contains(.fault) ? faults : nil
    var released: [AnyObject] = []
    unsafe swap(&released, &kept)
    reset()
    release(&released)
    if unsafe kept.capacity < released.capacity { unsafe swap(&released, &kept) }
    faults?.forEach { $0.report() }
  }

  @inline(never)
  private func reportDrifts() {
    events.remove(.drift)
    let reports = drifted
    drifted = []
    for drift in reports { drift.responder.reporter?.report(drift) }
  }

  private func reset() {
    isUnderWay = false
    isCalling = false
    changes = 0
    if !events.isEmpty { forgetEvents() }
    if unsafe queue.capacity > Self.keptLimit { unsafe queue = RoundQueue() }
  }

  @inline(never)
  private func forgetEvents() {
    events = []
    follower = nil
    faults = []
  }

  /// Calls the listeners of the run until the run ends, or until a listener of another queued
  /// audience comes first.
  private func call(_ run: RoundQueue.Run, _ comparison: inout CellComparison) {
    let members = run.members
    let count = members.count
    var cursor = run.cursor
    // The common answer of the audience, valid while nothing has changed since the audience was
    // found.
    var common: CellRef?
    var isCommonKnown = false
    var claimed = cursor..<cursor
    defer { Observer.claim(count..<count, givingBack: claimed, in: members) }
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
      listener.with { listener in
        if listener.hasEnded { return leaveOut(listener, of: run) }
        if events.contains(.move), listener.moved.round == number, listener.moved.order != order {
          return
        }
        call(listener, common, &comparison)
      }
    }
  }

  /// Notes that a listener of the run has ended.
  @inline(never)
  private func leaveOut(_ listener: Listener, of run: RoundQueue.Run) {
    if let audience = run.audience?.becomeStale() {
      stale.append(audience)
      events.insert(.ended)
    }
    if listener.kind == .observer { listener.cast(to: Observer.self).remember(.missing) }
  }

  /// Calls a listener.
  @inline(__always)
  private func call(
    _ listener: Listener, _ common: CellRef?, _ comparison: inout CellComparison
  ) {
    guard let node = listener.core else { return work(listener) }
    switch listener.kind {
    case .mailbox, .work: break
    case .waiting:
      // The task is woken even if there is no value yet, because it may be in a tree with another
      // mailbox now.
      listener.cast(to: WaitRegistration.self).sleeper.wake()
    case .branch:
      // The report is made when all listeners have been called.
      let slot = listener.cast(to: BranchListener.self).slot
      if let drift = slot.recheck() { report(drift) }
      if let tree = node.strong.tree { slot.watchDrift(in: tree) }
    case .observer where events.contains(.fault): break
    case .observer:
      listener.with(as: Observer.self) { observer in
        if let common {
          call(observer, common, &comparison)
        } else {
          call(observer, at: node, &comparison)
        }
      }
    }
  }

  /// Calls an observer with the answer of its node.
  @inline(never)
  private func call(_ observer: Observer, at node: CoreRef, _ comparison: inout CellComparison) {
    let entry = node.with { $0.locate(observer.id) }
    if let cell = entry?.cell {
      call(observer, cell, &comparison)
    } else {
      call(observer, answer(entry), &comparison)
    }
  }

  /// Does the first piece of work that is queued for a stage's end. Does nothing if the listener is
  /// an ended registration.
  ///
  /// The other pieces of work are queued again, because listeners that the first piece has queued
  /// come before them.
  @inline(never)
  private func work(_ listener: Listener) {
    guard listener.kind == .work else { return }
    let stageWork = listener.cast(to: StageWork.self)
    let work = stageWork.takeFirst()
    if !stageWork.isEmpty { unsafe queue.add(stageWork) }
    work?()
  }

  /// Calls an observer with a value, unless the value equals the last answer that the observer
  /// received.
  @inline(__always)
  private func call(
    _ observer: Observer, _ cell: CellRef, _ comparison: inout CellComparison
  ) {
    if let last = observer.last.cell, comparison.isEqual(last, cell, observer.key) { return }
    if mayCall(observer) { cell.with { observer.call(.value($0)) } }
  }

  /// Calls an observer with an answer that is not stored in a table, unless it equals the last one
  /// that the observer received.
  @inline(never)
  private func call(
    _ observer: Observer, _ answer: Answer, _ comparison: inout CellComparison
  ) {
    if case .value(let cell) = answer {
      call(observer, CellRef(cell), &comparison)
    } else if !observer.last.isSameState(as: answer), mayCall(observer) {
      observer.call(answer)
    }
  }

  /// Counts a call of an observer. Returns false if it would be one call too many. The round then
  /// calls no more observers.
  @inline(__always)
  private func mayCall(_ observer: Observer) -> Bool {
    if observer.countCall(in: number) <= Self.callLimit { return true }
    addFault(of: observer)
    return false
  }

  @inline(never)
  private func addFault(of observer: Observer) {
    faults.append(
      Fault(responder: observer.target, key: observer.key.key, reason: .calledTooOften))
    events.insert(.fault)
  }
}
