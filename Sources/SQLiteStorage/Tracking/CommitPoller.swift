import Dispatch

/// Looks for commits of other processes, again and again, for as long as it lives.
///
/// SQLite tells nobody that a file changed; a look costs microseconds.
final class CommitPoller: @unchecked Sendable {
  // Protected by Dispatch: a source may be cancelled from any thread.
  private let timer: any DispatchSourceTimer

  init(every milliseconds: Int = 200, _ look: @escaping @Sendable () -> Void) {
    timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    timer.schedule(
      deadline: .now() + .milliseconds(milliseconds), repeating: .milliseconds(milliseconds),
      leeway: .milliseconds(milliseconds / 4))
    timer.setEventHandler(handler: look)
    timer.resume()
  }

  deinit { timer.cancel() }
}
