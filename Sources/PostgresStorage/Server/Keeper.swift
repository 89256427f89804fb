#if Postgres
import Dispatch
import Foundation
import ObjectGraph
import Synchronization

/// A thread of the store that ends moments in which nobody reads any more, and asks for news while
/// somebody waits for them, or if the server's run has no name. While there is nothing to do, it sleeps.
final class Keeper: Sendable {
  private let server: Server
  private let connecting: Connecting
  private let isWanted = DispatchSemaphore(value: 0)
  private let hasEnded = Atomic(false)
  private let listeners = Atomic(0)
  /// Whether the thread sleeps until somebody wakes it.
  private let sleeps = Atomic(false)

  init(_ server: Server, _ connecting: Connecting) {
    self.server = server
    self.connecting = connecting
  }

  func start() {
    server.pool.onFirstMoment { [weak self] in
      guard let self, sleeps.load(ordering: .sequentiallyConsistent) else { return }
      isWanted.signal()
    }
    Thread { [self] in work() }.start()
  }

  func end() {
    hasEnded.store(true, ordering: .relaxed)
    isWanted.signal()
  }

  /// Adds somebody who waits for news, or removes them.
  func listen(_ count: Int) {
    listeners.wrappingAdd(count, ordering: .relaxed)
    isWanted.signal()
  }

  private func work() {
    var connection: ServerConnection?
    // Moments that begin and end all the time must not wake the thread each time. So it looks again
    // after a pause before it sleeps.
    var wasQuiet = false
    while true {
      let isListening = listeners.load(ordering: .relaxed) > 0
      let isQuiet = !isListening && !server.pool.hasMoments
      if isQuiet, wasQuiet {
        sleeps.store(true, ordering: .sequentiallyConsistent)
        // A moment that has begun before the flag was set has not woken the thread.
        if !server.pool.hasMoments { isWanted.wait() }
        sleeps.store(false, ordering: .sequentiallyConsistent)
        wasQuiet = false
      } else {
        _ = isWanted.wait(timeout: .now() + .milliseconds(200))
        wasQuiet = isQuiet
      }
      guard !hasEnded.load(ordering: .relaxed) else { return }
      let isWaitedFor = server.news.hasGateWaiting
      server.pool.endMoments(idleFor: isWaitedFor ? 0 : server.options.idleMoment)
      if isListening || server.news.lacksEpoch { poll(&connection) }
    }
  }

  /// Asks for news on the keeper's own connection, which is made again when it is lost.
  private func poll(_ connection: inout ServerConnection?) {
    do {
      let present = try connection ?? connecting.connect()
      connection = present
      let deadline = server.pool.deadline
      try server.news.hear(present.run([server.news.poll], until: deadline)[0])
      if let epoch = server.news.takeEpoch() { _ = try present.run([epoch], until: deadline) }
    } catch {
      // The next merge gets the same error, and reports it.
      connection = nil
    }
    server.inboxes.wake()
  }
}

/// One that waits for news, until it is released.
final class NewsPolling: Sendable {
  private let keeper: Keeper

  init(_ keeper: Keeper) {
    self.keeper = keeper
    keeper.listen(1)
  }

  deinit { keeper.listen(-1) }
}
#endif
