import Dispatch

/// Looks for commits of other processes, again and again, for as long as it lives.
///
/// SQLite tells nobody that a file changed; asking costs microseconds.
package final class Lookout: @unchecked Sendable {
  // Protected by Dispatch: a source may be cancelled from any thread.
  private let timer: any DispatchSourceTimer

  package init(_ store: any ObjectStore, every milliseconds: Int = 200) {
    let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    timer.schedule(
      deadline: .now() + .milliseconds(milliseconds), repeating: .milliseconds(milliseconds),
      leeway: .milliseconds(milliseconds / 4))
    timer.setEventHandler { [weak store] in
      // What fails now, a merge will tell.
      try? store?.lookForOthers()
    }
    timer.resume()
    self.timer = timer
  }

  deinit { timer.cancel() }
}
