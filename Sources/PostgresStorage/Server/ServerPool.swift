#if Postgres
import Dispatch
import Foundation
import ObjectGraph
import Synchronization

/// The connections for reading. Each is used by at most one reader at a time.
///
/// An idle context keeps the moment of its last read, and with it a connection. If all connections are
/// taken, the next reader gets that of the moment that has been idle longest, and that moment ends. If
/// all are in use, the reader waits.
final class ServerPool: Sendable {
  fileprivate struct PoolState {
    var idle: [ServerConnection] = []
    var lent: [Lease] = []
    /// The number of connections that are idle, lent or being opened.
    var count = 0
    var isClosed = false
    /// The closure that is called when a moment begins while there is none.
    var firstMoment: @Sendable () -> Void = {}
  }

  /// A moment to which a connection is lent.
  fileprivate struct Lease {
    weak var moment: ServerMoment?
    let identity: ObjectIdentifier
  }

  let options: PostgresOptions
  /// The trips of the store's reads and commits.
  let trips = TripCount()
  private let connecting: Connecting
  private let state = Mutex(PoolState())
  private let hasClosed = Atomic(false)
  private let isFree = DispatchSemaphore(value: 0)

  init(_ options: PostgresOptions, _ connecting: Connecting) {
    self.options = options
    self.connecting = connecting
  }

  var isClosed: Bool { hasClosed.load(ordering: .relaxed) }

  /// The deadline for a trip of reading. The server ends a statement itself before that.
  var deadline: Deadline { Deadline(in: options.statementTimeout + options.connectTimeout) }

  /// Takes a connection for a moment or, if that is nil, for a short use.
  func take(for moment: ServerMoment?) throws -> ServerConnection {
    let (start, deadline) = (DispatchTime.now(), Deadline(in: options.acquireTimeout))
    var hasWaited = false
    defer {
      if hasWaited {
        let nanoseconds = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
        options.onEvent?(.waited(seconds: Double(nanoseconds) / 1e9))
      }
    }
    while true {
      var refusal: ServerFault?
      do {
        if let connection = try free() {
          lend(connection, to: moment)
          return connection
        }
      } catch let fault as ServerFault where fault.isForNow && !deadline.hasPassed {
        refusal = fault
      }
      let moments = state.withLock { $0.lent.compactMap(\.moment) }
      for other in moments.sorted(by: { $0.lastRead < $1.lastRead }) where other !== moment {
        guard let connection = other.endAndTakeConnection() else { continue }
        guard connection.isCurrent else {
          give(back: connection, of: ObjectIdentifier(other))
          break
        }
        state.withLock { $0.forget(ObjectIdentifier(other)) }
        lend(connection, to: moment)
        return connection
      }
      guard !deadline.hasPassed else {
        if let refusal { throw refusal }
        let kept = state.withLock { $0.lent.count }
        throw GraphError(
          "read",
          .tooSlow(
            "all \(options.maximumConnections) connections were in use for"
              + " \(options.acquireTimeout) s, \(kept) of them by moments"))
      }
      hasWaited = true
      // A moment that becomes idle does not tell, so the wait is short.
      _ = isFree.wait(timeout: .now() + .milliseconds(refusal == nil ? 5 : 50))
      // Signals gather while nobody waits.
      while isFree.wait(timeout: .now()) == .success {}
    }
  }

  private func lend(_ connection: ServerConnection, to moment: ServerMoment?) {
    guard let moment else { return }
    let call = state.withLock { state in
      state.lent.append(Lease(moment: moment, identity: ObjectIdentifier(moment)))
      return state.lent.count == 1 ? state.firstMoment : nil
    }
    call?()
  }

  /// Returns an idle connection or a new one; nil if there are as many as allowed.
  private func free() throws -> ServerConnection? {
    while true {
      var isNew = false
      let idle = try state.withLock { state -> ServerConnection? in
        guard !state.isClosed else { throw GraphError("read", .closed) }
        if let connection = state.idle.popLast() { return connection }
        isNew = state.count < max(1, options.maximumConnections)
        if isNew { state.count += 1 }
        return nil
      }
      if let idle {
        if idle.isCurrent, !idle.hasEnded() { return idle }
        makeRoom()
        continue
      }
      guard isNew else { return nil }
      do {
        return try connecting.connect(counting: trips)
      } catch {
        makeRoom()
        throw error
      }
    }
  }

  /// Takes back a connection, which must have no transaction under way.
  func give(back connection: ServerConnection, of moment: ObjectIdentifier?) {
    let isKept = state.withLock { state in
      if let moment { state.forget(moment) }
      guard !state.isClosed, connection.isCurrent, !connection.isLost, !connection.isInTransaction
      else { return false }
      state.idle.append(connection)
      return true
    }
    if !isKept { makeRoom() }
    isFree.signal()
  }

  /// Lets another connection be opened in place of one that is not used any more.
  private func makeRoom() { state.withLock { $0.count -= 1 } }

  /// Registers a closure that is called when a moment begins while there is none.
  func onFirstMoment(_ call: @escaping @Sendable () -> Void) {
    state.withLock { $0.firstMoment = call }
  }

  /// Whether there are moments, or transactions of ended ones.
  var hasMoments: Bool {
    state.withLock { !$0.lent.isEmpty || $0.idle.contains(where: \.owesEnd) }
  }

  func with<Result>(_ body: (ServerConnection) throws -> Result) throws -> Result {
    let connection = try take(for: nil)
    defer { give(back: connection, of: nil) }
    return try body(connection)
  }

  /// Ends the moments that have been idle for some seconds, and the transactions of ended ones.
  func endMoments(idleFor seconds: Double) {
    for moment in state.withLock({ $0.lent.compactMap(\.moment) })
    where moment.isIdle(for: seconds) {
      guard let connection = moment.endAndTakeConnection() else { continue }
      give(back: connection, of: ObjectIdentifier(moment))
    }
    state.withLock { for connection in $0.idle { connection.sendEnd() } }
  }

  func close() {
    hasClosed.store(true, ordering: .relaxed)
    let moments = state.withLock { state in
      (state.idle, state.isClosed) = ([], true)
      return state.lent.compactMap(\.moment)
    }
    for moment in moments { moment.end() }
  }
}

extension ServerPool.PoolState {
  /// Removes the oldest lease of a moment, which may have begun again meanwhile with another one.
  fileprivate mutating func forget(_ moment: ObjectIdentifier) {
    lent.firstIndex { $0.identity == moment }.map { _ = lent.remove(at: $0) }
  }
}
#endif
