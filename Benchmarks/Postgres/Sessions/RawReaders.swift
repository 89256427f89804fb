#if Postgres
import Foundation
import Synchronization

/// Threads that read with libpq, each on a connection of its own.
struct RawReaders: SlowReaders {
  static let name = RawServerStore.name

  let place: SlowPlace
  let hasHeart = false
  private let threads: [ReadingThread]
  private let ids: [Int64]

  init(_ place: SlowPlace) throws {
    self.place = place
    ids = try place.ids
    threads = try (0..<Sessions.connections).map { _ in
      ReadingThread(try RawServerConnection(place.address), place.schema)
    }
  }

  func scores(of reads: [SlowPlace.Read]) async throws -> [Double] {
    let ids = reads.map { self.ids[$0.player] }
    let (next, group) = (NextNumber(), DispatchGroup())
    for thread in threads {
      group.enter()
      Thread {
        thread.read(ids, by: next)
        group.leave()
      }.start()
    }
    await withCheckedContinuation { continuation in
      group.notify(queue: .global()) { continuation.resume() }
    }
    return try threads.flatMap { try $0.takeScores() }
  }
}

/// The number of the read that is to be done next.
private final class NextNumber: Sendable {
  private let number = Atomic(0)

  func take() -> Int { number.add(1, ordering: .relaxed).oldValue }
}

/// A connection with the scores that were read on it.
///
/// It is unchecked because one thread at a time uses it: the one that reads, and then the main thread,
/// which has waited for its end.
private final class ReadingThread: @unchecked Sendable {
  private let connection: RawServerConnection
  private let select: String
  private var scores: Result<[Double], any Error> = .success([])

  init(_ connection: RawServerConnection, _ schema: ServerSchema) {
    self.connection = connection
    select = #"SELECT score FROM \#(schema.name)."Player" WHERE id = $1"#
  }

  func read(_ ids: [Int64], by next: NextNumber) {
    scores = Result {
      var scores: [Double] = []
      let parameters = RawParameters()
      while case let number = next.take(), number < ids.count {
        parameters.reset()
        parameters.add(ids[number])
        try connection.send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        scores.append(try connection.run(select, parameters).double(0, 0))
        try connection.send("ROLLBACK")
        try connection.sync(isIgnored: true)
      }
      return scores
    }
  }

  func takeScores() throws -> [Double] { try scores.get() }
}
#endif
