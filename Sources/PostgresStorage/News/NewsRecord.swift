#if Postgres
package import Foundation

/// The record of what the inboxes of a process were told.
///
/// It is a plain value. A test drives it through all orders in which polls, commits and a crash of the
/// server can happen. Each function returns what is to be posted.
///
/// Commits become visible in another order than that of their transactions' numbers. So the record
/// keeps a whole snapshot: a commit is news if the snapshot told last does not show it.
package struct NewsRecord: Hashable, Sendable {
  /// The moment whose news were told last; nil before the first answer.
  package private(set) var told: Snapshot?
  /// The identity of the server's run; nil if it is unknown, so that the next answer tells everything.
  package private(set) var epoch: String?
  /// The commits of this process that nobody has told yet, and whether their sender hears of them too.
  private var own: [UUID: Bool] = [:]
  /// The commits that were told although ``told`` does not show them, by their transactions. After a
  /// crash, the server may give the number of a transaction again.
  private var heard: [UInt64: UUID] = [:]
  /// The number of changes of the server's run. A connection that was made before the last change may
  /// lead to the server that was left.
  package private(set) var generation = 0

  package init() {}

  /// The greatest number of transactions in ``heard``.
  private static var heardLimit: Int { 10_000 }

  // MARK: Polls

  /// Takes the answer to a poll.
  package mutating func hear(_ answer: NewsAnswer) -> [NewsPost] {
    guard answer.generation == generation else { return [.everything] }
    guard let told, let known = answer.epoch, known == epoch else {
      (told, epoch, heard) = (answer.snapshot, answer.epoch, [:])
      generation += 1
      return [.everything]
    }
    guard told.first >= answer.horizon, answer.rows.count <= NewsAnswer.limit else {
      advance(to: answer.snapshot)
      return [.everything]
    }
    // The answers of two polls may come in the other order.
    if answer.snapshot <= told { return [] }
    var posts: [NewsPost] = []
    for (index, row) in answer.rows.enumerated()
    where !told.shows(row.transaction) && heard[row.transaction] != row.id {
      let own = own.removeValue(forKey: row.id)
      switch row.kind {
      case .void: break
      case .changes, .everything:
        if let own {
          posts.append(.own(row.id, toSender: own))
        } else {
          posts.append(row.kind == .everything ? .everything : .row(index))
        }
      }
    }
    advance(to: answer.snapshot)
    return posts
  }

  /// Makes a snapshot the one told last, unless a later one was told.
  private mutating func advance(to snapshot: Snapshot) {
    if let told, snapshot <= told { return }
    told = snapshot
    if !heard.isEmpty { heard = heard.filter { !snapshot.shows($0.key) } }
  }

  // MARK: Commits of this process

  /// Notes a commit before it is sent, because a poll may show it before its own answer has come.
  package mutating func register(_ id: UUID) { own[id] = false }

  /// Takes the answer that a commit was made by a transaction, on a connection of a generation.
  package mutating func committed(
    _ id: UUID, by transaction: UInt64, generation: Int
  ) -> [NewsPost] {
    // The number of a transaction says nothing to another run of the server, which may give it again.
    if generation == self.generation, told?.shows(transaction) != true {
      heard[transaction] = id
      // A program that only writes never polls. Its next poll then tells everything.
      if heard.count > Self.heardLimit { (heard, epoch) = ([:], nil) }
    }
    return own.removeValue(forKey: id).map { [.own(id, toSender: $0)] } ?? []
  }

  /// Forgets a commit that has failed.
  package mutating func failed(_ id: UUID) { own[id] = nil }

  /// Notes that nobody knows whether a commit was made. If a poll shows it, its sender hears of it too.
  package mutating func lost(_ id: UUID) { own[id]? = true }
}
#endif
