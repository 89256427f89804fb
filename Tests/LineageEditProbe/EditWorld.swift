import Foundation
import Lineage
import LineageTestSupport
package import ObjectGraph
package import ResponderChain
package import SQLiteStorage
import StateRestoration
import Synchronization

package struct Item: Entity {
  var a = 0, b = 0, mine = 0, secret = 0
  var box: Ref<Box>?

  package init() {}

  init(a: Int, b: Int, mine: Int, secret: Int, box: Ref<Box>?) {
    (self.a, self.b, self.mine, self.secret, self.box) = (a, b, mine, secret, box)
  }

  package static let schema = Schema<Item>("Item") {
    Attribute("a", \.a)
    Attribute("b", \.b)
    Attribute("mine", \.mine, onConflict: .mine)
    Attribute("secret", \.secret, inState: false)
    ToOne("box", \.box)
  }
}

package struct Box: Entity {
  var a = 0
  var items: Many<Item> { Many(\.box) }

  package init() {}

  init(a: Int) { self.a = a }

  package static let schema = Schema<Box>("Box") {
    Attribute("a", \.a)
    ToMany("items", \.items, onDelete: .cascade)
  }
}

/// A store of either kind.
package protocol ContextMaking: Sendable {
  func makeContext() -> ObjectContext
}

extension MemoryStore: ContextMaking {}
extension SQLiteStore: ContextMaking {}

/// A screen whose branch keeps its edits.
package final class KeptScreen: Controller {
  package override init() {
    super.init()
    branch(ObjectContext.self, restoring: .edits)
  }
}

/// A process with nested screens, which can be killed and launched again.
@MainActor
package final class EditWorld {
  let store: any ContextMaking
  let folder: URL
  let depth: Int
  let isRootKept: Bool
  /// The ids, which are the same in each process.
  let items = Dictionary(
    uniqueKeysWithValues: (EditModel.boxes..<2000).map { ($0, Ref<Item>(key: Int64($0 + 1))) })
  let boxes = Dictionary(
    uniqueKeysWithValues: (0..<EditModel.boxes).map { ($0, Ref<Box>(key: Int64($0 + 1))) })
  var application: Application?
  var restoration: Restoration?
  var contexts: [ObjectContext] = []
  /// The objects of all contexts. A context reads an object anew if nobody retains it.
  var held: [[Int: GraphObject]] = []
  let errors = ErrorLog()

  init(_ store: any ContextMaking, _ folder: URL, depth: Int, isRootKept: Bool) {
    (self.store, self.folder, self.depth, self.isRootKept) = (store, folder, depth, isRootKept)
  }

  package func kill() {
    for context in contexts { context.onError = { _ in } }
    held = []
    contexts = []
    application = nil
    restoration = nil
  }

  /// Launches the application. The store is there before, or comes later, or fails at first. Each
  /// later arrival may follow a save of the state, or the death of the process.
  func launch(_ way: Int) async throws {
    if way == 3 || way == 4 {
      let early = prepare()
      if way == 3 { _ = early.0.expect(ObjectContext.self) }
      early.0.launch(restoring: early.1)
      try early.1.save()
    }
    let (application, restoration) = prepare()
    let store = store
    let failures = way == 2 ? 1 : 0
    let attempts = Counter()
    application.openStore(
      at: folder.appending(path: "store"), restoring: isRootKept ? .edits : .nothing
    ) { _ in
      guard await attempts.next() > failures else { throw Mishap("no disk") }
      return store.makeContext()
    }
    if way == 0 { _ = try await application.context(whenReady: ObjectContext.self) }
    application.launch(restoring: restoration)
    if way == 2 {
      _ = try? await application.context(whenReady: ObjectContext.self)
      try restoration.save()
      application.send(RetryOpening())
    }
    let root = try await application.context(whenReady: ObjectContext.self)
    application.drain()
    contexts = [root]
    var parent: Responder = application
    for _ in 1..<depth {
      if parent.children.isEmpty {
        let screen = KeptScreen()
        screen.restorationIdentifier = "screen"
        try parent.append(screen)
      }
      guard let screen = parent.children.first as? KeptScreen else { throw Mishap("no screen") }
      contexts.append(try screen.require(ObjectContext.self))
      parent = screen
    }
    let errors = errors
    for context in contexts {
      context.recordsUndo = true
      context.onError = { errors.add("\($0)") }
    }
    held = contexts.map { _ in [:] }
    (self.application, self.restoration) = (application, restoration)
  }

  private func prepare() -> (Application, Restoration) {
    let application = Application()
    application.onFailure { _, _ in .handled }
    let restoration = Restoration(
      in: .at(folder.appending(path: "state")), clock: ManualSaveClock()
    ) {
      Kind("screen") { $0.existing ?? KeptScreen() }
      ContextName.objects
    }
    return (application, restoration)
  }

  // MARK: Reading and editing

  func row(_ item: Item) -> Row {
    let box = item.box.flatMap { ref in boxes.first { $0.value == ref }?.key } ?? -1
    return [.a: item.a, .b: item.b, .mine: item.mine, .secret: item.secret, .box: box]
  }

  /// Returns the values that a context shows, and notes the object.
  func shown(_ layer: Int, _ object: Int) throws -> (Row?, GraphObject?) {
    if let ref = boxes[object] {
      let box = try contexts[layer].find(ref)
      if let box { held[layer][object] = box }
      return (box.map { [.a: $0.a] }, box)
    }
    let item = try items[object].flatMap { try contexts[layer].find($0) }
    if let item { held[layer][object] = item }
    return (item.map { row($0.value) }, item)
  }

  func set(_ context: ObjectContext, _ object: Int, _ prop: Prop, _ value: Int) throws {
    if let ref = boxes[object] {
      try context.object(with: ref).a = value
      return
    }
    guard let ref = items[object] else { throw Mishap("no item \(object)") }
    let item = try context.object(with: ref)
    switch prop {
    case .a: item.a = value
    case .b: item.b = value
    case .mine: item.mine = value
    case .secret: item.secret = value
    case .box: item.box = try boxes[value].map { try context.object(with: $0) }
    }
  }

  func insert(_ context: ObjectContext, _ object: Int, _ row: Row) throws {
    if object < EditModel.boxes {
      try context.insert(Object(Box(a: row[.a].sure), id: boxes[object].sure))
    } else {
      let item = Item(
        a: row[.a].sure, b: row[.b].sure, mine: row[.mine].sure, secret: row[.secret].sure,
        box: boxes[row[.box].sure])
      try context.insert(Object(item, id: items[object].sure))
    }
  }

  func delete(_ context: ObjectContext, _ object: Int) throws {
    if let ref = boxes[object] {
      try context.delete(context.object(with: ref))
    } else if let ref = items[object] {
      try context.delete(context.object(with: ref))
    }
  }

  func outcome(_ save: () throws -> Void) throws -> Outcome {
    do {
      try save()
      return .saved
    } catch let error as GraphError {
      switch error.reason {
      case .conflict(let reports):
        let names = Dictionary(
          uniqueKeysWithValues: items.map { ("\($0.value)", $0.key) }
            + boxes.map { ("\($0.value)", $0.key) })
        return .clashes(
          Set(
            reports.map {
              Clash(
                object: names[$0.object] ?? -1, props: Set($0.properties),
                isDeletedHere: $0.isDeletedHere)
            }))
      case .dangling: return .dangling
      default: throw error
      }
    }
  }
}

/// A count of attempts.
actor Counter {
  private var count = 0
  func next() -> Int {
    count += 1
    return count
  }
}

/// The errors that contexts report.
final class ErrorLog: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

extension Optional {
  /// The value, which is there unless the oracle has a mistake.
  public var sure: Wrapped {
    get {
      guard let self else { preconditionFailure("a value is missing") }
      return self
    }
    set { self = newValue }
  }
}
