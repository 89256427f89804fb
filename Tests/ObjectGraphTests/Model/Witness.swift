import LineageTestSupport
import ObjectGraph

/// The live values and observed cards of one context in a random program. They must always show what
/// a fresh computation shows.
final class Witness {
  private let context: ObjectContext
  private let figures: [Figure]
  private var cards: [ObservedCard] = []

  /// A live value, with the closure that computes it.
  private struct Figure {
    let live: LiveValue<[Int]>
    let compute: (ObjectContext) throws -> [Int]
    let heard: Heard

    /// The value that an observer was told last.
    final class Heard {
      var value: [Int] = []
      var token: ObjectObservation?
    }
  }

  init(_ context: ObjectContext) throws {
    self.context = context
    let computations: [(ObjectContext) throws -> [Int]] = [
      { [try $0.count(Card.self, where: { $0.isHard })] },
      { [try $0.sum(Card.self, of: { $0.rightCount }, where: { $0.deck.name > "" })] },
      { try $0.counts(Card.self, by: \.deck).values.sorted() },
      { try $0.fetch(Deck.self, where: { $0.cards.count > 1 }).map(\.name.utf8.count) },
      { try $0.fetch(Tally.self).flatMap { $0.cards.map(\.rightCount) } },
    ]
    figures = try computations.map { compute in
      let live = try LiveValue(in: context, compute)
      let heard = Figure.Heard()
      heard.value = try live.value
      heard.token = live.observe { [weak heard] in heard?.value = $0 }
      return Figure(live: live, compute: compute, heard: heard)
    }
  }

  /// Observes a card from now on, unless it is observed already.
  func observe(_ card: Object<Card>) {
    if !cards.contains(where: { $0.card === card }) { cards.append(ObservedCard(card)) }
  }

  /// Returns a description of the first fault; nil if there is none.
  func complaint() throws -> String? {
    for (index, figure) in figures.enumerated() {
      let (live, fresh) = (try figure.live.value, try figure.compute(context))
      if live != fresh { return "live value \(index) is \(live), not \(fresh)" }
    }
    return cards.lazy.compactMap { $0.complaint() }.first
  }

  /// Returns a description of the first observer of a live value that was not told the value. The end
  /// of an operation must have told it, unless a read has discovered changes of others.
  func unheard() throws -> String? {
    context.group {}
    for (index, figure) in figures.enumerated() {
      let (heard, live) = (figure.heard.value, try figure.live.value)
      if heard != live { return "an observer of live value \(index) knows \(heard), not \(live)" }
    }
    return nil
  }
}

/// A card, with a copy of its value that changes only by what an observer is told.
private final class ObservedCard {
  let card: Object<Card>
  private var copy: Card
  private var isDeleted: Bool
  private var token: ObjectObservation?

  init(_ card: Object<Card>) {
    self.card = card
    copy = card.value
    isDeleted = card.isDeleted || card.context == nil
    token = card.observe { [weak self] card, change in self?.hear(change, card.value) }
  }

  private func hear(_ change: ObjectChange<Card>, _ value: Card) {
    isDeleted = change.isDeleted
    for property in change.properties {
      switch property {
      case "question": copy.question = value.question
      case "answer": copy.answer = value.answer
      case "rightCount": copy.rightCount = value.rightCount
      case "isHard": copy.isHard = value.isHard
      case "deck": copy.deck = value.deck
      case "next": copy.next = value.next
      default: break
      }
    }
  }

  func complaint() -> String? {
    let now = card.value
    let isGone = card.isDeleted || card.context == nil
    let hasTexts = copy.question == now.question && copy.answer == now.answer
    let hasFigures = copy.rightCount == now.rightCount && copy.isHard == now.isHard
    let hasReferences = copy.deck == now.deck && copy.next == now.next
    return hasTexts && hasFigures && hasReferences && isDeleted == isGone
      ? nil : "an observer knows \(copy), deleted \(isDeleted), of \(card)"
  }
}
