import Foundation
import Lineage
import LineageTestSupport
import Synchronization

private typealias EditedCard = LineageTestSupport.Card

/// A command that edits a card in a form, whose unsaved edit is kept, and saves it: `StoreProbe editing
/// folder call place`.
///
/// The process is killed before the call of the file system with the given number by a save of the
/// state, or before (1) or after (2) the commit. Without numbers, the process only shows the edit in
/// the form, saves it, and shows the store.
enum Editing {
  private final class Form: Controller {
    @Restorable("card") var card: Object<EditedCard>?

    override init() {
      super.init()
      branch(ObjectContext.self, restoring: .edits)
    }

    func context() throws -> ObjectContext { try require(ObjectContext.self) }

    var shown: String {
      get throws {
        let count = try context().count(EditedCard.self, where: { $0.question == "new" })
        return "right \(card?.rightCount ?? -1), new \(count)"
      }
    }
  }

  /// A store that kills the process before or after a commit that has receipts.
  private final class Deadly: ForwardingStore {
    let base: any ObjectStore
    let place: Int

    init(_ base: any ObjectStore, _ place: Int) { (self.base, self.place) = (base, place) }

    func commit(
      _ writes: [Write], _ receipts: [Receipt], from inbox: Inbox?, resolving: ConflictResolver?
    ) throws {
      if place == 1, !receipts.isEmpty { kill(getpid(), SIGKILL) }
      try base.commit(writes, receipts, from: inbox, resolving: resolving)
      if place == 2, !receipts.isEmpty { kill(getpid(), SIGKILL) }
    }
  }

  @MainActor static func run(_ folder: URL, _ numbers: [Int]) async throws {
    let store = try await SQLiteStore.open(at: folder.appending(path: "cards"), Library.entities)
    let calls = Mutex(0)
    let (call, place) = (numbers.first, numbers.dropFirst().first ?? 0)
    let application = Application()
    let deadly = Deadly(store, place)
    application.provide(ObjectContext(store: deadly))
    let restoration = Restoration(
      in: .at(folder.appending(path: "state")), clock: ManualSaveClock(),
      probe: { _ in
        calls.withLock { count in
          count += 1
          if count == call { kill(getpid(), SIGKILL) }
        }
        return 0
      }
    ) {
      Kind("form") { $0.existing ?? Form() }
      ContextName.objects
    }
    application.launch(restoring: restoration)
    let isLooking = numbers.isEmpty
    let form = try application.children.first as? Form ?? makeForm(in: application)
    if isLooking {
      StoreProbe.say("found \(try form.shown)")
      try form.context().saveAll()
    } else {
      StoreProbe.say("began \(try form.shown)")
      form.card?.rightCount += 1
      try form.context().insert(EditedCard("new"))
      try restoration.save()
      StoreProbe.say("archived")
      try form.context().saveAll()
      StoreProbe.say("committed")
      try restoration.save()
    }
    let context = store.makeContext()
    let card = try context.fetch(EditedCard.self, where: { $0.question == "a" }).first
    let count = try context.count(EditedCard.self, where: { $0.question == "new" })
    StoreProbe.say("stored right \(card?.rightCount ?? -1), new \(count)")
  }

  /// Makes the form at the first launch, with a card in the store.
  @MainActor private static func makeForm(in application: Application) throws -> Form {
    let form = Form()
    (form.restorationIdentifier, form.restorationKind) = ("form", "form")
    try application.append(form)
    let root = try application.require(ObjectContext.self)
    let known = try root.fetch(EditedCard.self, where: { $0.question == "a" }).first
    let card = try known ?? root.insert(EditedCard("a"))
    try root.save()
    form.card = try form.context().object(with: card.id)
    return form
  }
}
