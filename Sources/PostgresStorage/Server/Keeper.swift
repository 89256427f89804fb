#if Postgres
import Foundation
import ObjectGraph
import Synchronization

/// A thread of the store that ends moments in which nobody reads any more, asks for news while somebody
/// waits for them, and gives others notice of this process's commits. While there is nothing to do, it
/// sleeps.
final class Keeper: Sendable {
  private let server: Server
  private let connecting: Connecting
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
      server.bell.ring()
    }
    Thread { [self] in work() }.start()
  }

  func end() {
    hasEnded.store(true, ordering: .relaxed)
    server.bell.ring()
  }

  /// Adds somebody who waits for news, or removes them.
  func listen(_ count: Int) {
    listeners.wrappingAdd(count, ordering: .relaxed)
    server.bell.ring()
  }

  private func work() {
    var line = NewsLine(server, connecting)
    // Moments that begin and end all the time must not wake the thread each time. So it looks again
    // after a pause before it sleeps.
    var wasQuiet = false
    while true {
      let rest = line.rest(isListening: listeners.load(ordering: .relaxed) > 0)
      let hasMoments = server.pool.hasMoments
      let isQuiet = rest == nil && !hasMoments
      if isQuiet, wasQuiet {
        sleeps.store(true, ordering: .sequentiallyConsistent)
        // A moment that has begun before the flag was set has not woken the thread.
        if !server.pool.hasMoments { server.bell.wait(orFor: line.socket, atMost: nil) }
        sleeps.store(false, ordering: .sequentiallyConsistent)
        wasQuiet = false
      } else {
        let longest: Int32 = hasMoments || isQuiet ? 200 : 1_000
        server.bell.wait(orFor: line.socket, atMost: min(rest ?? longest, longest))
        wasQuiet = isQuiet
      }
      guard !hasEnded.load(ordering: .relaxed) else { return }
      let isWaitedFor = server.news.hasGateWaiting
      server.pool.endMoments(idleFor: isWaitedFor ? 0 : server.options.idleMoment)
      line.work(isListening: listeners.load(ordering: .relaxed) > 0)
    }
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
