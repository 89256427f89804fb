/// The root of a tree: it owns the controllers, knows how contexts are found, and runs the mailbox.
open class Application: Responder {
  /// Where an application is in its life.
  public enum LifePhase: String, Sendable, CaseIterable {
    /// Made, not launched.
    case new
    /// Launched and in the foreground.
    case active
    /// Launched and in the background.
    case background
    /// At its end.
    case terminated
  }

  /// How contexts are found in this tree.
  public let strategy: Strategy

  /// The door for everything that arrives from elsewhere.
  public let mailbox = Mailbox()

  /// Where the application is in its life.
  public private(set) var phase = LifePhase.new

  /// Called when an observer was called more than a hundred times in one round.
  ///
  /// Without it the fault is written to standard error.
  public var onFault: ((Fault) -> Void)?

  /// Called when a branch keeps a child that no longer belongs to what is inherited.
  public var onDrift: ((Drift) -> Void)?

  /// Called at the hooks of the application's life, after the method of the same name.
  public var onLife: ((Application, LifeEvent) -> Void)?

  private let tree: TreeState
  fileprivate var isInStep = false

  /// Makes an application whose tree finds contexts in the given way.
  public init(strategy: Strategy = .skipping) {
    self.strategy = strategy
    tree = TreeState(strategy, strategy.routeShape, mailbox)
    super.init()
    tree.root = self
    core.responder = self
    core.madeContents().orphanReceiver = mailbox
    core.begin(Epoch(tree))
    core.set(NodeBits.needsTeardown | NodeBits.application, true)
  }

  deinit { mailbox.close() }

  /// Called first: make what must exist before anything is restored.
  open func willFinishLaunching() {}

  /// Called when the tree is complete, whether it was restored or made.
  open func didFinishLaunching() {}

  /// Called when the application went to the background.
  open func didEnterBackground() {}

  /// Called before the application comes back to the foreground.
  open func willEnterForeground() {}

  /// Called last.
  open func willTerminate() {}

  /// Makes the given changes in one round: observers hear at most once, when all are made.
  public final func batch<R>(_ changes: () throws -> R) rethrows -> R {
    try Round.perform { _ in try changes() }
  }

  /// Applies what has arrived in the mailbox by now, for programs with a main loop of their own.
  ///
  /// A merge that is under way is finished. What the letters post in turn waits for the next call,
  /// so that letters that post letters cannot keep the program here.
  ///
  /// - Returns: the number of letters that were applied.
  @discardableResult
  public final func drain() -> Int {
    var applied = mailbox.apply(to: self, opening: true)
    var count = 0
    repeat {
      recheckDrifting()
      count += applied
      applied = mailbox.applyRests(to: self)
    } while applied > 0
    return count
  }

  /// The program's main loop: applies what arrives until the application terminates or the task is
  /// cancelled.
  public final func run() async {
    let sleeper = TaskSleeper()
    while phase != .terminated, !Task.isCancelled {
      let applied = mailbox.apply(to: self, opening: true)
      recheckDrifting()
      guard phase != .terminated else { break }
      if applied > 0 {
        // What the letters have posted in turn waits: others may have work on this isolation.
        await Task.yield()
      } else if mailbox.add(sleeper) {
        await sleeper.sleep()
        mailbox.remove(sleeper)
      }
    }
  }

  private func recheckDrifting() { tree.recheckDrifting() }
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
  /// The application at the top; `nil` in a detached tree.
  public final var application: Application? {
    if let tree = attachedTree { return tree.root as? Application }
    return self as? Application
  }
}

extension Application {
  /// A step in an application's life.
  public enum LifeEvent: String, Sendable, CaseIterable {
    /// See ``Application/willFinishLaunching()``.
    case willFinishLaunching
    /// See ``Application/didFinishLaunching()``.
    case didFinishLaunching
    /// See ``Application/didEnterBackground()``.
    case didEnterBackground
    /// See ``Application/willEnterForeground()``.
    case willEnterForeground
    /// See ``Application/willTerminate()``.
    case willTerminate
  }

  /// Launches an application that has nothing to restore.
  public final func launch() {
    launch { _ in }
  }

  /// Launches: will finish launching, then `restore`, then did finish launching.
  ///
  /// Only the first call does anything.
  public final func launch(restore: (Application) throws -> Void) rethrows {
    guard phase == .new, !isInStep else { return }
    isInStep = true
    defer { isInStep = false }
    willFinishLaunching()
    onLife?(self, .willFinishLaunching)
    try restore(self)
    guard phase == .new else { return }
    phase = .active
    didFinishLaunching()
    onLife?(self, .didFinishLaunching)
  }

  /// Goes to the background, from the foreground only.
  public final func enterBackground() {
    guard phase == .active else { return }
    phase = .background
    didEnterBackground()
    onLife?(self, .didEnterBackground)
  }

  /// Comes back to the foreground, from the background only.
  public final func enterForeground() {
    guard phase == .background, !isInStep else { return }
    isInStep = true
    defer { isInStep = false }
    willEnterForeground()
    onLife?(self, .willEnterForeground)
    if phase == .background { phase = .active }
  }

  /// Ends the application's life and its ``run()``.
  public final func terminate() {
    guard phase != .terminated else { return }
    willTerminate()
    onLife?(self, .willTerminate)
    phase = .terminated
    mailbox.post { _ in }
  }
}
