import ObjectGraph
import Synchronization

/// What this process knows of the file's commits, and how it learns of those of others.
final class Watch: Sendable {
  /// How this opening signs its commits in the log.
  let writer: Int64
  private let model: Model
  private let known: Mutex<Int64>

  init(path: String, generation: Int64, writer: Int64, _ model: Model) {
    self.writer = writer
    self.model = model
    known = Mutex(generation)
  }

  /// Commits of others since the last look.
  func look(_ pool: Pool) throws -> News {
    try pool.with { try look($0) }
  }

  func look(_ connection: Connection) throws -> News {
    try known.withLock { generation in
      let rows = try connection.rows(
        "SELECT generation, writer, changes FROM lineage_log WHERE generation > ?1",
        [.integer(generation)])
      var news = News()
      for row in rows {
        guard case .integer(let number) = row[0], case .integer(let writer) = row[1] else {
          continue
        }
        generation = number
        guard writer != self.writer else { continue }
        if case .blob(let bytes) = row[2], let changed = ChangedIDs.unpack(bytes, model) {
          news.merge(changed)
        } else {
          news.isEverything = true
        }
      }
      return news
    }
  }
}
