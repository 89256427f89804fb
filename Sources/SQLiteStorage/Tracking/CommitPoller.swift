import Dispatch
import Synchronization

/// A timer that looks for commits of other processes while it lives.
///
/// Polling is needed, because SQLite notifies no process of another process's commit. The poller
/// itself is the token that a store gives to contexts, so it lives only while a context keeps it.
/// Polling from the opening of a store to its end was rejected, because most stores are open in one
/// process only.
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
