import LineageTestSupport
import ObjectGraph
import Synchronization
import Testing

@Suite("Contexts with names")
struct NamedContextTests {
  @Test("A description has the name, on one line")
  func description() throws {
    let context = try MemoryStore(Library.entities).makeContext()
    #expect("\(context)" == "ObjectContext")
    context.name = "editing"
    #expect("\(context)" == #"ObjectContext "editing""#)
    context.name = "two\nlines"
    #expect("\(context)" == #"ObjectContext "two lines""#)
    #expect("\(context.makeChild())" == "ObjectContext")
  }

  @Test("Errors say in which context it was attempted", arguments: Stores.all)
  func errors(_ stores: Stores) async throws {
    let opened = try await stores.open()
    let context = opened.makeContext()
    context.name = "main"
    let child = context.makeChild()
    child.name = "editing"
    let card = try context.insert(Card("c"))
    try context.save()
    let unknown = Ref<Card>(key: card.id.key + 99)
    #expect(isNamed("editing") { try child.object(with: unknown) })
    #expect(isNamed("editing") { try child.delete(card) })
    #expect(isNamed("main") { try context.fetch(Badge.self) })
    #expect(isNamed("main") { try context.insert(Badge("b")) })

    try child.object(with: card.id).question = "below"
    card.question = "above"
    #expect(isNamed("editing") { try child.save() })
    child.discard()
    let other = opened.makeContext()
    try other.object(with: card.id).question = "elsewhere"
    try other.save()
    #expect(isNamed("main") { try context.save() })
    try child.object(with: card.id).answer = "below"
    // The child's save succeeds, and the parent's save fails.
    #expect(isNamed("main") { try child.saveAll() })
    context.discard()
  }

  /// Tells whether a closure throws an error with the context name `name`.
  private func isNamed<Result>(_ name: String, _ body: () throws -> Result) -> Bool {
    do {
      _ = try body()
      return false
    } catch let error as GraphError {
      return error.context == name
        && "\(error)" == "could not \(error.attempted) in \"\(name)\": \(error.reason)"
    } catch {
      return false
    }
  }

  @Test("Faults that cannot be thrown say it, too, and which objects are lost")
  func faults() throws {
    let faults = Mutex<[String]>([])
    var lost: [String] = []
    do {
      let context = try MemoryStore(Library.entities).makeContext()
      context.name = "form"
      context.onError = { fault in faults.withLock { $0.append("\(fault)") } }
      let card = try context.insert(Card("c"))
      try context.save()
      try context.delete(card)
      card.question = "too late"
      lost.append(card.reference)
      let child = context.makeChild()
      child.name = "editor"
      for _ in 0..<6 { lost.append(try child.insert(Deck("d")).reference) }
    }
    let texts = faults.withLock { $0 }
    #expect(texts.count == 3)
    #expect(texts.first?.contains(#" in "form": "#) == true)
    let five = lost[1...5].joined(separator: ", ")
    #expect(
      texts.dropFirst() == [
        "could not keep 6 unsaved objects (\(five) and 1 more) in \"editor\":"
          + " its context has ended",
        "could not keep 1 unsaved object (\(lost[0])) in \"form\": its context has ended",
      ])
  }
}
