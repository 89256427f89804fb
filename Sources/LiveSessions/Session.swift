import Lineage

/// A card of the deck that all sessions share.
struct Card: Entity {
  var question = ""
  static let schema = Schema<Card>("Card") { Attribute("question", \.question, indexed: true) }
}

/// The session of one client. It has a tree of its own, and shares the store with all others.
actor Session {
  private let application: Application
  private let page: CardsPage

  init(in context: sending ObjectContext, client: @escaping @Sendable (Int) -> Void) throws {
    let (application, page) = (Application(), CardsPage(client))
    try application.append(page)
    application.provide(context)
    (self.application, self.page) = (application, page)
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

/// A page with a live list of all cards.
final class CardsPage: Controller {
  private(set) var rows: [[String]] = [[]]
  private var list: LiveList<Card>?
  private var observation: ObjectObservation?

  init(_ client: @escaping (Int) -> Void) {
    super.init()
    onChange(of: ObjectContext.self) { page, context in
      page.attempt { try page.show(in: context.value, client) }
    }
  }

  private func show(in context: ObjectContext?, _ client: @escaping (Int) -> Void) throws {
    list = try context.map { try LiveList(FetchRequest(sort: { $0.question }), in: $0) }
    rows = [list?.map(\.question) ?? []]
    observation = list?.observe { [unowned self] list, changes in
      changes.apply(to: &rows) { list[$0].question }
      client(changes.insertions.count)  // a server sends the changes to its client here
    }
  }
}
