#if Postgres
import Foundation
import Lineage
import Synchronization

/// The `sessions` case: many sessions, each an actor with a context of its own, read single players over
/// a slow network. Meanwhile a task of Swift's own threads measures how late it is woken.
///
/// The baseline is a thread for each connection, which reads the same players with libpq.
enum Sessions {
  static let count = 1_000
  static let connections = 16
  /// The time of a trip through the proxy, in seconds.
  static let latency = 0.02
  /// The number of reads in a sample, each by another session.
  static let reads = 250
  static let heartbeat = "sessions heartbeat"

  @MainActor static func benchmark(_ fixtures: Fixtures, _ effort: Effort) -> BenchmarkCase {
    // A connection can make one trip after the other. The limit is the time of a read at 0.8 times that
    // rate.
    let limit = latency * 1_000 / (0.8 * Double(connections))
    return BenchmarkCase(
      suite: .postgres, name: "sessions",
      parameters: [Parameter("sessions", count), Parameter("connections", connections)],
      unit: .milliseconds, effort: effort, baseline: RawReaders.name,
      subjects: [
        Subject(name: RawReaders.name) {
          try await trial(of: try RawReaders(try await SlowPlace(fixtures)))
        },
        Subject(name: LineageSessions.name) {
          try await trial(of: try await LineageSessions(try await SlowPlace(fixtures)))
        },
      ],
      bars: [
        .median(of: LineageSessions.name, atMost: limit),
        .p99(of: heartbeat, by: LineageSessions.name, atMost: 25),
      ])
  }

  @MainActor private static func trial(of readers: some SlowReaders) async throws -> Trial {
    let place = readers.place
    let heart = Heart()
    var first = 0
    return Trial(
      operations: reads,
      answer: {
        let scores = try await readers.scores(of: place.places(from: 0, count))
        return ["reads": scores.count, "sum": Int(scores.reduce(0, +) * 1_000)]
      },
      sample: { _ in
        let places = place.places(from: first, reads)
        first += reads
        let beat = Task.detached { await heart.beat() }
        let start = ContinuousClock.now
        let scores = try await readers.scores(of: places)
        let time = Stopwatch.nanoseconds(since: start)
        beat.cancel()
        await beat.value
        let expected = places.map { place.fixtures.roster.players[$0.player].score }
        guard scores.sorted() == expected.sorted() else {
          throw RawServerError("the sessions have read other players")
        }
        return time
      },
      besides: {
        readers.hasHeart ? [Besides(heartbeat, .milliseconds, heart.delays)] : []
      })
  }
}

/// One that reads players over the slow network.
@MainActor protocol SlowReaders {
  static var name: String { get }
  var place: SlowPlace { get }
  /// Whether others of Swift's own threads go on meanwhile.
  var hasHeart: Bool { get }

  /// Reads players, each by another session, and returns their scores in any order.
  func scores(of reads: [SlowPlace.Read]) async throws -> [Double]
}

/// A schema with players, behind a proxy.
@MainActor final class SlowPlace {
  /// A session's read of a player.
  struct Read: Sendable {
    let session: Int
    /// The index of the player.
    let player: Int
  }

  let fixtures: Fixtures
  let schema: ServerSchema
  let address: String
  private let proxy: DelayingProxy
  private let shuffled: [Int]

  init(_ fixtures: Fixtures) async throws {
    self.fixtures = fixtures
    schema = try await fixtures.filledPlace(for: LineageServerStore.self)
    let connection = try BenchmarkServer.connect()
    proxy = try DelayingProxy(to: connection.target, delay: Sessions.latency / 2)
    address = connection.address(through: proxy.port)
    shuffled = fixtures.roster.shuffledPlaces
  }

  /// Returns the next reads, each of another player.
  func places(from first: Int, _ count: Int) -> [Read] {
    (first..<first + count).map {
      Read(session: $0 % Sessions.count, player: shuffled[$0 % shuffled.count])
    }
  }

  /// The ids of all players, by their index.
  var ids: [Int64] {
    get throws {
      let result = try BenchmarkServer.connect().run(
        #"SELECT id FROM \#(schema.name)."Player" ORDER BY id"#)
      return (0..<result.rowCount).map { result.integer($0, 0) }
    }
  }
}

/// A task that is to wake each two milliseconds, and notes how late it is.
private final class Heart: Sendable {
  private let noted = Mutex<[Double]>([])

  /// The delays of the task, in nanoseconds.
  var delays: [Double] { noted.withLock { $0.isEmpty ? [0] : $0 } }

  func beat() async {
    let pause = Duration.milliseconds(2)
    while !Task.isCancelled {
      let due = ContinuousClock.now + pause
      guard (try? await Task.sleep(until: due, clock: .continuous)) != nil else { return }
      let delay = Stopwatch.nanoseconds(since: due)
      noted.withLock { $0.append(delay) }
    }
  }
}
#endif
