import Dispatch
import Synchronization

/// Looks for commits of other processes, again and again, for as long as it lives.
///
/// SQLite tells nobody that a file changed; asking costs microseconds.
package final class Lookout: @unchecked Sendable {
  // Protected by Dispatch: a source may be cancelled from any thread.
  private let timer: any DispatchSourceTimer
  private weak let store: (any ObjectStore)?

  /// All there are, one for each store: a server has a context for each of its many sessions.
  private static let all = Mutex<[WeakLookout]>([])

  private struct WeakLookout {
    weak var lookout: Lookout?
  }

  /// The one that looks for a store's news, shared by all who want to hear of them.
  package static func of(_ store: any ObjectStore) -> Lookout {
    all.withLock { all in
      for other in all {
        if let lookout = other.lookout, lookout.store === store { return lookout }
      }
      let lookout = Lookout(store)
      all.removeAll { $0.lookout == nil }
      all.append(WeakLookout(lookout: lookout))
      return lookout
    }
  }

  init(_ store: any ObjectStore, every milliseconds: Int = 200) {
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
    self.store = store
  }

  deinit { timer.cancel() }
}
