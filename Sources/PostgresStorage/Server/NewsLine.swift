#if Postgres
import Dispatch
import ObjectGraph
import SQLStorage

/// The keeper's connection: on it, the keeper asks for news, hears and gives notice of commits, and
/// cleans the log.
///
/// A notice only makes others ask sooner. It is sent in a transaction of its own, because a commit with
/// a notice waits for every other commit with one.
struct NewsLine {
  private let server: Server
  private let connecting: Connecting
  private var connection: ServerConnection?
  /// Whether the connection hears notices. A pooler passes none on.
  private var hears = false
  private var isNoticed = false
  private var lastPoll, lastNotice, lastCleaning, lastFailure: DispatchTime?
  /// Whether more rows of the log can be deleted.
  private var isCleaning = false

  init(_ server: Server, _ connecting: Connecting) {
    (self.server, self.connecting) = (server, connecting)
  }

  /// The seconds between two polls: with notices, without them, and after a notice.
  private static let pause = (hearing: 1.0, deaf: 0.2, noticed: 0.05)
  /// The seconds between two notices that a process sends.
  private static let noticePause = 0.2
  /// The seconds until the connection is made again after a failure.
  private static let failurePause = 0.5
  /// The number of rows that are deleted at once.
  private static let cleaningStep = 5_000

  private var deadline: Deadline { Deadline(in: max(5, server.options.connectTimeout)) }
  private var channel: String { quoted(server.options.ownSchema) }

  /// The socket on which notices come; nil if none come.
  var socket: Int32? { hears && !isNoticed ? connection?.socket : nil }

  // MARK: Times

  /// Returns the milliseconds until there is something to do; nil if there is nothing.
  func rest(isListening: Bool) -> Int32? {
    var rests: [Double] = []
    if isListening || server.news.lacksEpoch { rests.append(pollRest) }
    if server.news.hasCommitted { rests.append(Self.rest(of: Self.noticePause, since: lastNotice)) }
    guard let least = rests.min() else { return nil }
    let wait = max(least, Self.rest(of: Self.failurePause, since: lastFailure))
    return Int32((wait * 1_000).rounded(.up))
  }

  private var pollRest: Double {
    let pause = isNoticed ? Self.pause.noticed : hears ? Self.pause.hearing : Self.pause.deaf
    return Self.rest(of: pause, since: lastPoll)
  }

  /// Returns the seconds that are left of a pause since a time; zero if there was no such time.
  private static func rest(of pause: Double, since time: DispatchTime?) -> Double {
    guard let time else { return 0 }
    let passed = Double(DispatchTime.now().uptimeNanoseconds - time.uptimeNanoseconds) / 1e9
    return max(0, pause - passed)
  }

  // MARK: Work

  /// Does what is due.
  mutating func work(isListening: Bool) {
    // The server keeps notices for a connection that does not read them.
    if hears, !isListening { hangUp() }
    if let connection, hears, connection.takeNotices() { isNoticed = true }
    if connection?.isLost == true { hangUp() }
    guard Self.rest(of: Self.failurePause, since: lastFailure) == 0 else { return }
    do {
      if server.news.hasCommitted, Self.rest(of: Self.noticePause, since: lastNotice) == 0 {
        try giveNotice(isListening)
      }
      if isListening || server.news.lacksEpoch, pollRest == 0 { try poll(isListening) }
      lastFailure = nil
    } catch {
      // The next merge gets the same error, and reports it.
      hangUp()
      lastFailure = .now()
    }
    server.inboxes.wake()
  }

  private mutating func hangUp() { (connection, hears, isNoticed) = (nil, false, false) }

  private mutating func open(_ isListening: Bool) throws -> ServerConnection {
    let connection: ServerConnection
    if let present = self.connection, present.isCurrent {
      connection = present
    } else {
      hangUp()
      connection = try connecting.connect()
      self.connection = connection
    }
    if isListening, !hears, !connection.isPooled {
      _ = try connection.run([ServerStatement("LISTEN \(channel)")], until: deadline)
      hears = true
    }
    return connection
  }

  private mutating func poll(_ isListening: Bool) throws {
    lastPoll = .now()
    let connection = try open(isListening)
    isNoticed = false
    try server.news.hear(
      connection.run([server.news.poll], until: deadline)[0], from: connection)
    if let epoch = server.news.takeEpoch() { _ = try connection.run([epoch], until: deadline) }
    try clean(connection)
  }

  private mutating func giveNotice(_ isListening: Bool) throws {
    lastNotice = .now()
    server.news.forgetCommits()
    let connection = try open(isListening)
    _ = try connection.run([ServerStatement("NOTIFY \(channel)")], until: deadline)
    try clean(connection)
  }

  // MARK: Cleaning

  /// Deletes rows of the log that every store has read, if it is time.
  ///
  /// A row goes at the second round after its commit. So a store misses rows only if it has not polled
  /// for a whole interval, and it sees that by the horizon.
  private mutating func clean(_ connection: ServerConnection) throws {
    let interval = server.options.cleaningInterval
    let isDue = Self.rest(of: interval / 10, since: lastCleaning) == 0
    guard isCleaning || isDue else { return }
    if isDue {
      lastCleaning = .now()
      let round = ServerStatement(server.news.cleaningRound, [.real(interval)])
      isCleaning = try connection.run([round], until: deadline)[0].changes > 0 || isCleaning
    }
    guard isCleaning else { return }
    let step = ServerStatement(server.news.cleaning, [.integer(Int64(Self.cleaningStep))])
    let deleted = try connection.run([step], until: deadline)[0].changes
    isCleaning = deleted == Self.cleaningStep
  }
}
#endif
