/// A task of a responder; see ``Responding/task(_:)``.
public final class ResponderTask {
  private weak var responder: Responder?
  private weak var tree: TreeState?
  private var handle: Task<Void, Never>?
  private let onCancel: (() -> Void)?
  /// Whether the task was cancelled.
  public private(set) var isCancelled = false
  /// Whether the task has ended, or will never begin.
  public private(set) var isFinished = false

  fileprivate init(
    _ responder: Responder, onCancel: (() -> Void)?,
    _ body: @escaping (Responder) async throws -> Void
  ) {
    (self.responder, tree, self.onCancel) = (responder, responder.attachedTree, onCancel)
    guard let tree, tree.root != nil, !tree.isTerminated else {
      (isCancelled, isFinished) = (true, true)
      return
    }
    tree.tasks.append(self)
    // The body runs as jobs of the tree's executor, in turns of its application. What it captured is
    // released there, in its last job, or never, if the application has ended.
    let work = Confined { await self.run(body) }
    handle = Task(executorPreference: tree.taskExecutor) { await work.value() }
  }

  /// Cancels the task. Its body goes on until it asks whether the task is cancelled, as the body of any
  /// `Task`. A task that has not begun never begins.
  public func cancel() {
    guard !isCancelled, !isFinished else { return }
    isCancelled = true
    handle?.cancel()
    onCancel?()
  }

  func cancelOutside(_ tree: TreeState) { if responder?.attachedTree !== tree { cancel() } }

  private func run(_ body: (Responder) async throws -> Void) async {
    defer { finish() }
    guard !isCancelled, let responder else { return }
    do {
      try await body(responder)
    } catch is CancellationError where isCancelled {
    } catch {
      responder.sendFailure(error)
    }
  }

  private func finish() {
    isFinished = true
    tree?.tasks.removeAll { $0 === self }
  }
}

extension TreeState {
  /// Cancels the tasks of responders that are outside the tree at the end of the round.
  func checkTasksAtEnd() {
    guard !tasks.isEmpty, !isCheckingTasks else { return }
    isCheckingTasks = true
    RoundStage.last.atEnd { [weak self] in
      guard let self else { return }
      isCheckingTasks = false
      tasks.forEach { $0.cancelOutside(self) }
    }
  }

  /// The executor of the tasks of responders.
  fileprivate var taskExecutor: any TaskExecutor {
    if let executor { return executor }
    let made = TreeExecutor(mailbox)
    executor = made
    return made
  }
}

extension ResponderTask: TreeTask {
  /// The path of the responder, in words.
  public var description: String { "a task of \(responder?.path ?? "a responder that has ended")" }
}

extension Responding where Self: Responder {
  /// Runs a body as a task of this responder. The body may use the whole tree, and wait.
  ///
  /// ```swift
  /// screen.task { screen in
  ///   screen.answer = try await service.answer(to: screen.question)
  /// }
  /// ```
  ///
  /// The body begins in the application's next turn, and runs inside turns, which belong to
  /// ``Application/run()``, ``Application/drain()`` and tasks that wait for a context. So other code of
  /// the tree runs only while the body waits.
  ///
  /// Concurrent functions, child tasks, and actors without an executor of their own run in turns, too,
  /// while the body waits for them, so that long work belongs into `await Task.detached { … }.value`. A
  /// body that is written in code of an actor, such as the main actor, runs on that actor, also between
  /// turns.
  ///
  /// The responder is not retained until the body begins. The task is cancelled when a round ends with
  /// the responder outside the tree, and when the application terminates; ``Application/run()`` then
  /// returns after the task. A responder outside of an application's tree gets a cancelled task. If an
  /// application ends without ``Application/terminate()``, its tasks stay suspended for ever.
  ///
  /// An error goes up the tree as a ``Failure``, except a `CancellationError` of a cancelled task.
  ///
  /// - Complexity: O(1). While there are tasks, each round that removes responders is O(*t* · *depth*)
  ///   for *t* tasks.
  @discardableResult
  public func task(_ body: @escaping (Self) async throws -> Void) -> ResponderTask {
    task(onCancel: nil, body)
  }

  /// Runs a body as a task of this responder. `onCancel` is called when the task is cancelled.
  package func task(
    onCancel: (() -> Void)?, _ body: @escaping (Self) async throws -> Void
  ) -> ResponderTask {
    ResponderTask(self, onCancel: onCancel) { responder in
      if let me = responder as? Self { try await body(me) }
    }
  }
}
