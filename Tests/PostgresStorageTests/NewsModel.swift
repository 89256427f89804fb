#if Postgres
import Foundation
import PostgresStorage

/// A server, a program that polls it for news, and three commits, as a value that takes one step at a
/// time.
///
/// The program under test has two inboxes that send the commits 0 and 2, and one that only listens.
/// Commit 1 is made by another program.
struct NewsModel: Hashable {
  /// A misfortune besides three commits and two polls.
  enum Misfortune: CaseIterable {
    case none
    /// The server crashes. Commits that were confirmed stay.
    case crash
    /// A replica takes over that lacks the commit made last.
    case failover
    /// The log is cleaned twice.
    case cleaning
  }

  private enum CommitStage: UInt8 { case idle, running, made, lost, over }
  private enum PollStage: UInt8 { case idle, sent, answered, over }

  private struct Commit: Hashable {
    var stage = CommitStage.idle
    var transaction: UInt64 = 0
    /// The generation of the connection on which the commit was sent.
    var generation = 0
    /// Whether the server has the commit now.
    var isMade = false
    /// The number of times that each inbox was told.
    var told: [UInt8] = [0, 0, 0]
    /// Whether all inboxes were told that everything may have changed, at a moment with the commit.
    var isCovered = false
  }

  private struct Poll: Hashable {
    var stage = PollStage.idle
    var generation = 0
    /// The snapshot from which the poll asks for news.
    var since: Snapshot?
    var answer: NewsAnswer?
    /// The number of crashes before the answer.
    var crashes = 0
    /// The commits that the answer's moment shows.
    var shown: Set<Int> = []
  }

  /// A step that something can take.
  enum Step: Hashable {
    case commit(Int, isKnown: Bool)
    case poll(Int)
    case misfortune
  }

  private static let senders: [Int?] = [0, nil, 1]
  private static let ids = (0..<3).map { _ in UUID() }

  private let misfortune: Misfortune
  /// Whether the server answers a poll in the step in which it is sent. This makes fewer states.
  private let asksAtOnce: Bool
  private var record = NewsRecord()
  // The server.
  private var next: UInt64 = 10
  private var horizon: UInt64 = 0
  private var nextHorizon: UInt64 = 0
  private var epoch: String? = "0"
  private var log: [NewsAnswer.Row] = []
  private var crashes = 0
  private var roundsLeft: Int
  // The commits and polls.
  private var commits = [Commit(), Commit(), Commit()]
  private var polls: [Poll]
  /// Whether everything was told since the crash.
  private var hasToldCrash = false

  init(_ misfortune: Misfortune, polls count: Int, asksAtOnce: Bool) {
    self.misfortune = misfortune
    self.asksAtOnce = asksAtOnce
    roundsLeft = misfortune == .cleaning ? 2 : misfortune == .none ? 0 : 1
    polls = Array(repeating: Poll(), count: count)
    // The opening of the store.
    _ = record.hear(answer(since: nil, generation: 0))
  }

  // MARK: Steps

  var steps: [Step] {
    var steps: [Step] = []
    for index in commits.indices {
      switch commits[index].stage {
      case .over: break
      // After a crash, the answer may have been read before, or not.
      case .made where crashes > 0:
        steps += [.commit(index, isKnown: true), .commit(index, isKnown: false)]
      case .idle, .running, .made, .lost: steps.append(.commit(index, isKnown: true))
      }
    }
    for index in polls.indices where polls[index].stage != .over { steps.append(.poll(index)) }
    if roundsLeft > 0 { steps.append(.misfortune) }
    return steps
  }

  /// Takes a step. Returns what is wrong; nil if all is well.
  mutating func take(_ step: Step) -> String? {
    switch step {
    case .commit(let index, let isKnown): return takeCommit(index, isKnown)
    case .poll(let index): return takePoll(index)
    case .misfortune:
      roundsLeft -= 1
      if misfortune == .cleaning { clean() } else { crash() }
      return nil
    }
  }

  private mutating func takeCommit(_ index: Int, _ isKnown: Bool) -> String? {
    let isOwn = Self.senders[index] != nil
    switch commits[index].stage {
    case .idle:
      if isOwn { record.register(Self.ids[index]) }
      commits[index].transaction = next
      commits[index].generation = record.generation
      commits[index].stage = .running
      next += 1
    case .running:
      log.append(
        NewsAnswer.Row(commits[index].transaction, Self.ids[index], .changes))
      commits[index].isMade = true
      commits[index].stage = isOwn ? .made : .over
    case .made where isKnown:
      confirm(index, commits[index].generation)
      commits[index].stage = .over
    case .made:
      record.lost(Self.ids[index])
      commits[index].stage = .lost
    case .lost:
      if commits[index].isMade {
        confirm(index, record.generation)
      } else {
        record.failed(Self.ids[index])
        // The row that keeps the commit from being made later.
        log.append(NewsAnswer.Row(next, Self.ids[index], .void))
        next += 1
      }
      commits[index].stage = .over
    case .over: break
    }
    return nil
  }

  private mutating func confirm(_ index: Int, _ generation: Int) {
    let transaction = commits[index].transaction
    post(record.committed(Self.ids[index], by: transaction, generation: generation), nil)
  }

  private mutating func takePoll(_ index: Int) -> String? {
    switch polls[index].stage {
    case .idle:
      polls[index].stage = .sent
      polls[index].generation = record.generation
      polls[index].since = record.told
      if asksAtOnce { return takePoll(index) }
    case .sent:
      let poll = polls[index]
      polls[index].stage = .answered
      polls[index].answer = answer(since: poll.since, generation: poll.generation)
      polls[index].crashes = crashes
      polls[index].shown = Set(
        commits.indices.filter { commits[$0].isMade && shows(poll: index, commits[$0]) })
    case .answered:
      let poll = polls[index]
      polls[index] = Poll(stage: .over)
      guard let answer = poll.answer else { return "no answer" }
      let posts = record.hear(answer)
      post(posts, answer, shown: poll.shown)
      if posts.contains(.everything), poll.crashes == crashes { hasToldCrash = true }
      if answer.epoch == nil, epoch == nil { epoch = "\(crashes)" }
      return wrong(after: poll)
    case .over: break
    }
    return nil
  }

  private func shows(poll index: Int, _ commit: Commit) -> Bool {
    polls[index].answer?.snapshot.shows(commit.transaction) ?? false
  }

  // MARK: The server

  private var snapshot: Snapshot {
    let running = commits.filter { $0.stage == .running }.map(\.transaction).sorted()
    return Snapshot(first: running.first ?? next, end: next, pending: running)
  }

  private func answer(since: Snapshot?, generation: Int) -> NewsAnswer {
    let snapshot = snapshot
    let rows = log.filter { row in
      let isWanted = since.map { row.transaction >= $0.end || $0.pending.contains(row.transaction) }
      return (isWanted ?? false) && snapshot.shows(row.transaction)
    }
    return NewsAnswer(
      snapshot, epoch: epoch, horizon: horizon,
      rows.sorted { $0.transaction < $1.transaction }, generation: generation)
  }

  private mutating func clean() {
    (horizon, nextHorizon) = (nextHorizon, snapshot.first)
    log.removeAll { $0.transaction < horizon }
  }

  private mutating func crash() {
    crashes += 1
    epoch = nil
    if misfortune == .failover, let last = log.indices.last {
      for index in commits.indices where Self.ids[index] == log[last].id {
        commits[index].isMade = false
      }
      log.remove(at: last)
    }
    for index in commits.indices where commits[index].stage == .running {
      let isOwn = Self.senders[index] != nil
      if isOwn { record.lost(Self.ids[index]) }
      commits[index].stage = isOwn ? .lost : .over
    }
    // The numbers of transactions that were not committed come again.
    next = (log.map(\.transaction).max() ?? 9) + 1
  }

  // MARK: Inboxes

  private mutating func post(_ posts: [NewsPost], _ answer: NewsAnswer?, shown: Set<Int> = []) {
    for post in posts {
      switch post {
      case .everything: for index in shown { commits[index].isCovered = true }
      case .row(let row): tell(answer?.rows[row].id, except: nil)
      case .own(let id, let toSender):
        tell(id, except: toSender ? nil : Self.ids.firstIndex(of: id).flatMap { Self.senders[$0] })
      }
    }
  }

  private mutating func tell(_ id: UUID?, except sender: Int?) {
    guard let index = Self.ids.firstIndex(where: { $0 == id }) else { return }
    for inbox in 0..<3 where inbox != sender { commits[index].told[inbox] += 1 }
  }

  /// Returns what is wrong after the news of a poll; nil if all is well.
  private func wrong(after poll: Poll) -> String? {
    for index in poll.shown where !commits[index].isCovered {
      for inbox in 0..<3 where inbox != Self.senders[index] && commits[index].told[inbox] == 0 {
        return "the inbox \(inbox) misses commit \(index), which the moment shows"
      }
    }
    if crashes > 0, poll.crashes == crashes, !hasToldCrash { return "the crash was not told" }
    return misfortune == .none ? tooMuch : nil
  }

  /// Returns what was told too often, in a run without misfortune; nil if all is well.
  private var tooMuch: String? {
    for (index, commit) in commits.enumerated() {
      if commit.isCovered { return "everything was told for no reason" }
      if commit.told.contains(where: { $0 > 1 }) { return "commit \(index) was told twice" }
      if let sender = Self.senders[index], commit.told[sender] > 0 {
        return "commit \(index) was told to its sender"
      }
    }
    return nil
  }

  /// Returns what is wrong when all is over and the program has polled once more; nil if all is well.
  func wrongAtEnd() -> String? {
    var last = self
    // If a crash is found, or the run has no name, the next poll asks again.
    for _ in 0..<3 {
      last.polls = [Poll()]
      for _ in 0..<3 { if let wrong = last.takePoll(0) { return wrong } }
    }
    for (index, commit) in last.commits.enumerated() where commit.isMade && !commit.isCovered {
      for inbox in 0..<3 where inbox != Self.senders[index] && commit.told[inbox] == 0 {
        return "the inbox \(inbox) never hears of commit \(index)"
      }
    }
    return misfortune == .none ? last.tooMuch : nil
  }
}
#endif
