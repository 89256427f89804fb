/// The root of a tree. It owns the controllers, sets the strategy of lookups, and applies the
/// letters of the mailbox.
open class Application: Responder {
  /// A phase in the life of an application.
  public enum LifePhase: String, Sendable, CaseIterable {
    /// The application is made and not launched.
    case new
    /// The application is launched and in the foreground.
    case active
    /// The application is launched and in the background.
    case background
    /// The application is terminated.
    case terminated
  }

  /// The strategy of lookups in this tree.
  public let strategy: Strategy

  /// The mailbox, through which other isolations reach this tree.
  public let mailbox = Mailbox()

  /// The phase of the application's life.
  public private(set) var phase = LifePhase.new

  /// The closure that is called with each ``Fault``: after a round in which an observer was called
  /// too often, or when a task waits for a context that nobody provides.
  ///
  /// If it is `nil`, the fault is written to standard error.
  public var onFault: ((Fault) -> Void)?

  /// The closure that is called when a branch keeps its child although the branch inherits another
  /// context now, or when a branch ends with unsaved changes.
  public var onDrift: ((Drift) -> Void)?

  /// The closure that is called at each step of the application's life, after the method that has
  /// the step's name.
  public var onLife: ((Application, LifeEvent) -> Void)?

  /// The object that is told of each step in the application's life; `nil` by default. The
  /// application retains it.
  package var lifeFollower: (any LifeFollower)?

  private let tree: TreeState
  private let turn = Turn()
  fileprivate var isInStep = false
  fileprivate var isTerminating = false

  /// Makes an application. The lookups in its tree use the given strategy.
  public init(strategy: Strategy = .skipping) {
    self.strategy = strategy
    tree = TreeState(strategy, strategy.routeShape, mailbox)
    super.init()
    tree.root = self
    core.refer(to: self)
    core.makeContentsIfNeeded().orphanReceiver = mailbox
    core.begin(Epoch(tree))
    core.set(NodeBits.needsTeardown | NodeBits.application, true)
  }

  deinit { mailbox.close() }

  /// Tells the application that its launch begins. Override it to make objects that must exist
  /// before the tree.
  open func willFinishLaunching() {}

  /// Tells the application that its tree is complete, whether it was restored or made.
  open func didFinishLaunching() {}

  /// Tells the application that it is in the background now.
  open func didEnterBackground() {}

  /// Tells the application that it is about to come to the foreground.
  open func willEnterForeground() {}

  /// Tells the application that it is about to terminate.
  open func willTerminate() {}

  /// Makes the changes of a closure in one round. Each observer is then called at most once for all
  /// these changes.
  ///
  /// - Complexity: That of the changes, and of calling the observers that the changes concern.
  public final func batch<R>(_ changes: () throws -> R) rethrows -> R {
    try Round.perform { _ in try changes() }
  }

  /// Applies the letters that have arrived by now, for programs with a main loop of their own.
  ///
  /// The work that these letters leave to do, such as the rest of a merge, is done before this
  /// function returns. New letters that they post wait for the next call. So the call ends, even if
  /// each letter posts another one.
  ///
  /// - Returns: the number of letters that were applied.
  /// - Complexity: O(*n*) for *n* letters, without the work of the letters themselves.
  @discardableResult
  public final func drain() -> Int {
    takeTurn {
      var applied = mailbox.apply(to: self, opening: true)
      var count = 0
      repeat {
        recheckDrifting()
        count += applied
        applied = mailbox.applyRests(to: self)
      } while applied > 0
      return count
    }
  }

  /// Runs the program's main loop, which applies letters until the application terminates or the
  /// task is cancelled. A terminated application goes on until the tasks of responders, which are then
  /// cancelled, have ended.
  ///
  /// - Complexity: Each turn of the loop is O(*n*) for *n* letters, without the work of the letters
  ///   themselves.
  public final func run() async {
    if !isOver { await applyLetters(TaskSleeper()) { _ in isOver } }
  }

  /// Applies letters until nothing is under way in this tree any more, for scripts and tests.
  ///
  /// The function waits for letters, loads, the opening of stores, tasks of responders, and the work of
  /// a ``MailboxContext``, such as the loading of lists. It does not
  /// wait for deliveries that are expected, for other tasks that wait for a context, or for timers. It
  /// returns early if its task is cancelled. A responder's task must not call it, because it would wait
  /// for itself.
  ///
  /// - Complexity: O(*n*) for *n* responders each time that there are no letters.
  public final func settle() async {
    await settle(TaskSleeper())
  }

  /// Applies letters until nothing is under way in this tree any more, like ``settle()``.
  ///
  /// - Throws: ``UnsettledError`` if something is still under way after the duration.
  public final func settle(
    within duration: Duration, clock: any Clock<Duration> = ContinuousClock()
  ) async throws {
    let sleeper = TaskSleeper()
    let deadline = Task {
      if (try? await clock.sleep(for: duration)) != nil { sleeper.expire() }
    }
    defer { deadline.cancel() }
    await settle(sleeper)
    let work = workUnderWay
    if sleeper.isOverdue, !work.isEmpty { throw UnsettledError(work: work) }
  }

  private func settle(_ sleeper: TaskSleeper) async {
    await applyLetters(waking: sleeper, letsOthersWork: true) { $0 == 0 && workUnderWay.isEmpty }
  }

  /// Applies letters until the closure returns true, which is called after each turn.
  package final func applyLetters(until isOver: () -> Bool) async {
    await applyLetters(waking: TaskSleeper()) { _ in isOver() }
  }

  /// Applies letters until the closure returns true, and is woken by each turn of another task.
  private func applyLetters(
    waking sleeper: TaskSleeper, letsOthersWork: Bool = false, until isOver: (Int) -> Bool
  ) async {
    turn.add(sleeper)
    defer { turn.remove(sleeper) }
    await applyLetters(sleeper, letsOthersWork: letsOthersWork, until: isOver)
  }

  /// Applies letters until the closure returns true, which is called after each turn with the number of
  /// letters. Sleeps while there are none. `letsOthersWork` says that other tasks may work after each
  /// turn, and not only before a further one.
  private func applyLetters(
    _ sleeper: TaskSleeper, letsOthersWork: Bool = false, until isOver: (Int) -> Bool
  ) async {
    while !Task.isCancelled, !sleeper.isOverdue {
      let applied = takeTurn {
        let applied = mailbox.apply(to: self, opening: true)
        recheckDrifting()
        return applied
      }
      if isOver(applied) { return }
      if applied > 0, letsOthersWork || turn.isDue || mailbox.count > 0 {
        // What came meanwhile waits, because other tasks may have work on this isolation. Without
        // need, the loop does not yield: that costs changes of threads.
        await Task.yield()
      } else if mailbox.add(sleeper) {
        await sleeper.sleep()
        mailbox.remove(sleeper)
      }
    }
  }

  /// The letters, loads, work of contexts and tasks of responders that are under way, in words.
  private var workUnderWay: [String] {
    let loads = ([self] + Array(descendants)).flatMap { responder in
      responder.loadingKeys.map { "the load of \($0) at \(responder.path)" }
        + responder.workOfContexts
    }
    let count = mailbox.count
    let letters = count > 0 ? [count == 1 ? "a letter" : "\(count) letters"] : []
    return letters + loads + tree.tasks.map { "\($0)" }
  }

  private var isOver: Bool { phase == .terminated && tree.tasks.isEmpty }

  private func recheckDrifting() {
    if tree.recheckDrifting() { turn.isDue = true }
  }
}

extension Application {
  /// Applies letters in a turn, or as part of the turn under way. The closure returns their number.
  @inline(__always)
  final func takeTurn(_ apply: () -> Int) -> Int {
    let isOuter = turn.begin()
    let applied = apply()
    if applied > 0 { turn.isDue = true }
    if isOuter { turn.finish(of: self) }
    return applied
  }

  /// Lets the next turn end with a call of the closure of `onTurn(_:)`, also if it applies no letters.
  package final func noteTurn() { turn.isDue = true }

  /// Cancels the tasks of all responders, and lets none begin any more.
  fileprivate func endTasks() {
    tree.isTerminated = true
    tree.tasks.forEach { $0.cancel() }
  }

  /// Makes the end of the round leave the first responder as it is.
  final func forgetFallback() { tree.fallback = nil }

  /// Notes whether there is a first responder.
  final func setHasFirst(_ hasFirst: Bool) { tree.hasFirst = hasFirst }

  /// Sets the closure for the end of each turn.
  fileprivate func setTurnEnd(_ end: ((Application) -> Void)?) { turn.end = end }
}

extension Responding where Self: Application {
  /// Sets a closure that is called once after each turn in which letters were applied or observers
  /// were called. This is where an application draws.
  ///
  /// ```swift
  /// application.onTurn { $0.show() }
  /// ```
  ///
  /// A turn belongs to ``Application/run()``, ``Application/drain()``, or a task that applies letters
  /// while it waits for a context. A turn inside a turn belongs to the outer one. What the closure itself
  /// changes is told after the next turn, and so is a turn inside a round. A second closure replaces the
  /// first.
  public func onTurn(_ draw: @escaping (Self) -> Void) {
    setTurnEnd { application in
      if let me = application as? Self { draw(me) }
    }
  }
}

/// The error of ``Application/settle(within:clock:)``.
public struct UnsettledError: Error, CustomStringConvertible {
  /// The letters, loads, work of contexts and tasks that are still under way. Loads and tasks have
  /// their responders' paths.
  public let work: [String]

  /// A sentence with all of them.
  public var description: String {
    "The application has not settled. Under way: \(work.joined(separator: "; "))."
  }
}

extension Application: RoundReporter {
  func report(_ fault: Fault) -> Bool {
    guard let onFault else { return false }
    onFault(fault)
    return true
  }

  func report(_ drift: Drift) { onDrift?(drift) }
}

extension Responder {
  /// The application at the top of the tree; `nil` in a detached tree.
  ///
  /// - Complexity: O(*depth*) at most.
  public final var application: Application? {
    if let tree = attachedTree { return tree.root as? Application }
    return self as? Application
  }
}

extension Application {
  /// A step in an application's life.
  public enum LifeEvent: String, Sendable, CaseIterable {
    /// The launch has begun; see ``Application/willFinishLaunching()``.
    case willFinishLaunching
    /// The launch is complete; see ``Application/didFinishLaunching()``.
    case didFinishLaunching
    /// The application is in the background; see ``Application/didEnterBackground()``.
    case didEnterBackground
    /// The application is about to come to the foreground; see
    /// ``Application/willEnterForeground()``.
    case willEnterForeground
    /// The application is about to terminate; see ``Application/willTerminate()``.
    case willTerminate
  }

  /// Launches an application that has nothing to restore.
  public final func launch() {
    launch { _ in }
  }

  /// Launches the application. The function calls ``willFinishLaunching()``, then `restore`, then
  /// ``didFinishLaunching()``.
  ///
  /// Does nothing if the application was launched before, or is launching or terminating.
  public final func launch(restore: (Application) throws -> Void) rethrows {
    guard phase == .new, !isInStep, !isTerminating else { return }
    isInStep = true
    defer { isInStep = false }
    willFinishLaunching()
    tell(.willFinishLaunching)
    guard phase == .new else { return }
    try restore(self)
    guard phase == .new else { return }
    phase = .active
    didFinishLaunching()
    tell(.didFinishLaunching)
  }

  /// Brings the application to the background. Does nothing unless it is in the foreground.
  public final func enterBackground() {
    guard phase == .active else { return }
    phase = .background
    didEnterBackground()
    tell(.didEnterBackground)
  }

  /// Brings the application to the foreground. Does nothing unless it is in the background.
  public final func enterForeground() {
    guard phase == .background, !isInStep else { return }
    isInStep = true
    defer { isInStep = false }
    willEnterForeground()
    tell(.willEnterForeground)
    if phase == .background { phase = .active }
  }

  /// Terminates the application and ends its ``run()``.
  public final func terminate() {
    guard phase != .terminated, !isTerminating else { return }
    isTerminating = true
    endTasks()
    willTerminate()
    tell(.willTerminate)
    phase = .terminated
    mailbox.post { _ in }
  }

  /// Tells ``lifeFollower`` and ``onLife`` that a step was reached. The method of that step was
  /// called before.
  private func tell(_ event: LifeEvent) {
    lifeFollower?.application(self, didReach: event)
    onLife?(self, event)
  }
}
