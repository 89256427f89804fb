import Dispatch
import Synchronization

/// A timer that looks for commits of other processes while it lives.
///
/// It polls, because SQLite notifies no process of another's commit. It exists only while a token
/// that the store has given to a context lives. Polling for each store that might be shared was
/// rejected, because most are not.
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
