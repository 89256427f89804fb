import Dispatch
import Synchronization

/// Looks for commits of other processes, again and again, for as long as it lives.
///
/// SQLite tells nobody that a file changed; a look costs microseconds.
final class CommitPoller: Sendable {
  private let timer: Mutex<any DispatchSourceTimer>

  init(every milliseconds: Int = 200, _ look: @escaping @Sendable () -> Void) {
    let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    timer.schedule(
      deadline: .now() + .milliseconds(milliseconds), repeating: .milliseconds(milliseconds),
      leeway: .milliseconds(milliseconds / 4))
    timer.setEventHandler(handler: look)
    timer.resume()
    self.timer = Mutex(timer)
  }

  deinit { timer.withLock { $0.cancel() } }
}
