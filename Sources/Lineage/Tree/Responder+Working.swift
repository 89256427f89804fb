public import ObjectGraph
public import ResponderChain
import Synchronization

/// The progress of a responder's task is a context of the responder while the task runs. So views below
/// can show it.
extension WorkProgress: Context {}

extension Responding where Self: Responder {
  /// Runs a body as a task of this responder, like `task(_:)`, with a progress that the responder provides
  /// meanwhile.
  ///
  /// ```swift
  /// screen.task { screen, progress in
  ///   try await store.background(progress: { try? progress.report($0.completed, of: $0.total) }) {
  ///     try importCards(into: $0, $1)
  ///   }
  /// }
  /// ```
  ///
  /// A report makes the application have a turn, in which it can draw. Many reports have one turn. If the
  /// task is cancelled, so is the progress.
  ///
  /// - Complexity: That of `task(_:)`, and of `provide(_:for:)`.
  @discardableResult
  public func task(
    _ body: @escaping (Self, WorkProgress) async throws -> Void,
    file: StaticString = #fileID, line: Int = #line
  ) -> ResponderTask {
    let mailbox = application?.mailbox
    let isPosted = Mutex(false)
    let progress = WorkProgress { [weak mailbox] _ in
      let isFirst = isPosted.withLock { posted in
        defer { posted = true }
        return !posted
      }
      if isFirst { mailbox?.post { _ in isPosted.withLock { $0 = false } } }
    }
    return task(onCancel: { progress.cancel() }) { me in
      me.provide(progress, file: file, line: line)
      defer { me.forget(progress) }
      try await body(me, progress)
    }
  }
}

extension Responder {
  /// Withdraws the progress of a task, unless that of another task has replaced it.
  fileprivate final func forget(_ progress: WorkProgress) {
    if ownValue(WorkProgress.self) === progress { try? withdraw(WorkProgress.self) }
  }
}
