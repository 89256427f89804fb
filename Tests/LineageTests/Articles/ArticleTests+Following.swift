import Foundation
import Lineage
import LineageTestSupport
import Observation
import Synchronization
import Testing

@MainActor @dynamicMemberLookup
final class Observed<Value: Entity>: Observable {
  let object: Object<Value>
  private let registrar = ObservationRegistrar()
  private var token: ObjectObservation?

  init(_ object: Object<Value>) {
    self.object = object
    token = object.observe { [weak self] _, _ in
      guard let self else { return }
      registrar.withMutation(of: self, keyPath: \.value) {}
    }
  }

  /// The value; nil while the object is deleted.
  var value: Value? {
    registrar.access(self, keyPath: \.value)
    return object.isDeleted ? nil : object.value
  }

  subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Member {
    get {
      registrar.access(self, keyPath: \.value)
      return object.value[keyPath: path]
    }
    set { object.value[keyPath: path] = newValue }
  }
}

extension ArticleTests {
  @Test("Following one object and a count")
  @MainActor func following() async throws {
    let context = try MemoryStore([Card.self, Deck.self]).makeContext()
    let deck = try context.insert(Deck(name: "Sums"))
    let card = try context.insert(Card(question: "2 + 2?"))
    card.deck = deck
    var title = ""
    let token = card.observe { card, change in
      if change.contains(\.question) { title = card.question }
    }
    card.rightCount = 1
    card.question = "2 + 3?"
    #expect(title == "2 + 3?")
    token.cancel()

    let due = try LiveValue(in: context) { try $0.count(Card.self, where: { $0.rightCount < 3 }) }
    var badge = try due.value
    let following = due.observe { count in badge = count }
    card.rightCount = 3
    #expect(badge == 0)
    following.cancel()

    let counts = try LiveValue(in: context) { try $0.counts(Card.self, by: \.deck) }
    let count = try counts.value[deck.id] ?? 0
    #expect(count == 1)

    let list = try LiveList<Card>(FetchRequest(), in: context)
    let text = "SUM"
    list.request.filter = Filter { $0.question.contains(text, .caseInsensitive) }
    #expect(list.isEmpty)

    var label = ""
    let loop = Task { @MainActor in
      for await value in card.updates {
        label = value?.question ?? "deleted"
      }
    }
    try await until { label == "2 + 3?" }
    try context.delete(card)
    try await until { label == "deleted" }
    loop.cancel()
    await loop.value
  }

  @Test("Following all commits", .hangGuard)
  @MainActor func commits() async throws {
    let store = try MemoryStore([Card.self, Deck.self])
    let context = store.makeContext()
    var outbox: Set<Ref<Card>> = []
    let loop = Task { @MainActor in
      for await commit in store.commits {
        outbox.formUnion(commit.saved(Card.self))
        outbox.subtract(commit.deleted(Card.self))
      }
    }
    for _ in 0..<20 { await Task.yield() }
    let card = try context.insert(Card(question: "2 + 2?"))
    try context.save()
    try await until { outbox == [card.id] }
    try context.delete(card)
    try context.save()
    try await until { outbox.isEmpty }
    loop.cancel()
    await loop.value
  }

  @Test("An object as an Observable", .hangGuard)
  @MainActor func observation() async throws {
    let context = try MemoryStore([Card.self, Deck.self]).makeContext()
    let card = try context.insert(Card(question: "2 + 2?"))
    let isOutdated = Atomic(false)
    var label = ""
    let observed = Observed(card)
    withObservationTracking {
      label = observed.question
    } onChange: {
      isOutdated.store(true, ordering: .relaxed)
    }
    let titles = Observations { observed.question }
    var heard: [String] = []
    let loop = Task { @MainActor in
      for await title in titles { heard.append(title) }
    }
    try await until { heard == ["2 + 2?"] }
    var wasOutdated = isOutdated.load(ordering: .relaxed)
    #expect(label == "2 + 2?" && !wasOutdated)
    // An edit of another context counts as well, as any edit of the object does.
    let child = context.makeChild()
    try child.object(with: card.id).question = "2 + 3?"
    wasOutdated = isOutdated.load(ordering: .relaxed)
    #expect(!wasOutdated)
    try child.save()
    wasOutdated = isOutdated.load(ordering: .relaxed)
    #expect(wasOutdated)
    try await until { heard.last == "2 + 3?" }
    observed.question = "2 + 4?"
    try await until { heard.last == "2 + 4?" }
    try context.delete(card)
    #expect(observed.value == nil)
    loop.cancel()
    await loop.value
  }
}
