/// The turn of an application that is under way, and the receivers of the ends of its turns.
final class Turn {
  private var isUnderWay = false
  /// Whether something was applied of which ``end`` was not told yet.
  var isDue = false
  /// The closure for the end of each turn; nil if there is none.
  var end: ((Application) -> Void)? { didSet { updateReceivers() } }
  /// The tasks that wait for the effect of letters, which other tasks may apply.
  private var waiting: [TaskSleeper] = [] { didSet { updateReceivers() } }
  /// Whether the end of a turn has a receiver. Other turns read only this flag.
  private var hasReceivers = false

  private func updateReceivers() { hasReceivers = end != nil || !waiting.isEmpty }

  /// Adds a task that waits for the effect of letters.
  func add(_ sleeper: TaskSleeper) { waiting.append(sleeper) }

  /// Removes a task, which does not wait any more.
  func remove(_ sleeper: TaskSleeper) { waiting.removeAll { $0 === sleeper } }

  /// Begins a turn, unless one is under way.
  ///
  /// - Returns: whether the caller must call ``finish(of:)``.
  func begin() -> Bool {
    defer { isUnderWay = true }
    return !isUnderWay
  }

  /// Ends the turn, and tells its receivers if something was applied.
  func finish(of application: Application) {
    if isDue {
      if hasReceivers { tellReceivers(of: application) } else { isDue = Round.isRunning }
    }
    isUnderWay = false
  }

  @inline(never)
  private func tellReceivers(of application: Application) {
    waiting.forEach { $0.wake() }
    // A round calls its observers first, and the next turn tells of them.
    guard !Round.isRunning else { return }
    isDue = false
    end?(application)
  }
}
