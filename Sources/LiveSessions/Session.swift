import Foundation
import Lineage

/// A card of the deck that all sessions share.
struct Card: Entity {
  var question = ""
  var votes = 0
  /// The time of the last vote, in seconds since 1970.
  var voted = 0.0

  static let schema = Schema<Card>("Card") {
    Attribute("question", \.question, indexed: true)
    Attribute("votes", \.votes)
    Attribute("voted", \.voted)
  }
}

/// Gets the number of new rows, and the times of the votes for rows that have changed.
typealias Client = @Sendable (_ insertions: Int, _ voted: [Double]) -> Void

/// The session of one client. It has a tree of its own, and shares the store with all others.
actor Session {
  private let lane: StoreLane
  private let application: Application
  private let page: CardsPage

  /// The session waits for the store on a thread of its lane.
  nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }

  init(in context: sending ObjectContext, on lane: StoreLane, client: @escaping Client) throws {
    let (application, page) = (Application(), CardsPage(client))
    try application.append(page)
    application.provide(context)
    (self.application, self.page, self.lane) = (application, page, lane)
  }

  /// Applies what the other sessions save, as it comes, until the task is cancelled.
  func run() async { await application.run() }

  /// Adds a card for all to see.
  func add(_ question: String) throws {
    try page.require(ObjectContext.self).edit { _ = try $0.insert(Card(question: question)) }
  }

  /// The rows that the client has got.
  var rows: [String] { page.rows[0] }
}

extension Session {
  /// The votes that the client has got.
  var votes: Int { page.votes }

  /// Votes for a card. If others vote for it at the same time, all votes count.
  func vote(for number: Int) throws {
    let context = try page.require(ObjectContext.self)
    context.conflictPolicy = .resolve { conflict in
      guard let base = conflict.base as? Card, let mine = conflict.mine as? Card,
        var theirs = conflict.theirs as? Card
      else { return .theirs }
      theirs.votes += mine.votes - base.votes
      theirs.voted = max(theirs.voted, mine.voted)
      return .value(theirs)
    }
    while true {
      do {
        return try context.edit { context in
          let card = try context.fetch(Card.self, sort: { $0.question })[number]
          card.votes += 1
          card.voted = Date.now.timeIntervalSince1970
        }
      } catch let error as GraphError {
        // Others were faster seven times in a row.
        guard case .overtaken = error.reason else { throw error }
      }
    }
  }
}

/// A page with a live list of all cards.
final class CardsPage: Controller {
  private(set) var rows: [[String]] = [[]]
  private var list: LiveList<Card>?
  private var observation: ObjectObservation?

  init(_ client: @escaping Client) {
    super.init()
    onChange(of: ObjectContext.self) { page, context in
      page.attempt { try page.show(in: context.value, client) }
    }
  }

  /// The votes for all cards.
  var votes: Int { list?.reduce(0) { $0 + $1.votes } ?? 0 }

  private func show(in context: ObjectContext?, _ client: @escaping Client) throws {
    list = try context.map { try LiveList(FetchRequest(sort: { $0.question }), in: $0) }
    rows = [list?.map(\.question) ?? []]
    observation = list?.observe { [unowned self] list, changes in
      changes.apply(to: &rows) { list[$0].question }
      // A server sends the changes to its client here.
      client(changes.insertions.count, changes.updates.map { list[$0].voted })
    }
  }
}
