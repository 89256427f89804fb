#if Postgres
package import Foundation

/// The answer to a poll for news: what the server shows at one moment, and what it has noted in the log
/// since the moment that was told last.
package struct NewsAnswer: Hashable, Sendable {
  /// A row of the log.
  package struct Row: Hashable, Sendable {
    /// The kind of the row.
    package enum Kind: Hashable, Sendable {
      /// The row has the ids that the commit has changed.
      case changes
      /// The commit has changed too many rows to name them.
      case everything
      /// Nothing was committed: the row only keeps a commit with its UUID from being made.
      case void
    }

    package let transaction: UInt64
    /// The UUID that the commit got from the program that has made it.
    package let id: UUID
    package let kind: Kind

    package init(_ transaction: UInt64, _ id: UUID, _ kind: Kind) {
      (self.transaction, self.id, self.kind) = (transaction, id, kind)
    }
  }

  /// The transactions that the answer's moment shows.
  package let snapshot: Snapshot
  /// The identity of the server's run; nil if nobody has named the run yet.
  package let epoch: String?
  /// The transaction up to which the log may have been cleaned.
  package let horizon: UInt64
  package let rows: [Row]
  /// The generation of the connection that has brought the answer.
  package let generation: Int

  package init(
    _ snapshot: Snapshot, epoch: String?, horizon: UInt64, _ rows: [Row], generation: Int
  ) {
    (self.snapshot, self.epoch, self.horizon) = (snapshot, epoch, horizon)
    (self.rows, self.generation) = (rows, generation)
  }

  /// The greatest number of rows that an answer has. If it has more, some may be left out.
  package static let limit = 5_000
}

/// A piece of news to be posted to the inboxes of a process.
package enum NewsPost: Hashable, Sendable {
  /// Everything may have changed.
  case everything
  /// The row of the answer with this index tells what has changed, to all.
  case row(Int)
  /// A commit of this process, with this UUID.
  case own(UUID, toSender: Bool)
}
#endif
