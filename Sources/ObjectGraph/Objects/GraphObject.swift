/// An object, whatever its entity: what `Object` is for code that does not name one.
public class GraphObject {
  // First what a lookup by id looks at, on the line of memory that has the reference count.
  final var phase: ObjectPhase = .lone
  /// Whether the context's list of changes has the object.
  final var isListed = false
  /// Whether it was inserted and not saved since, also when it is gone again.
  final var isNew = false
  /// Whether the base has a contest.
  final var isContested = false
  /// The id, the same in each context and for ever.
  package final let key: Int64
  /// Where the object lives.
  final var home: Home = .nowhere

  init(key: Int64) { self.key = key }

  deinit {
    // May run on any thread: it touches only the map, which is made for that. Home is moved out, not
    // copied, so that nothing counts references on the way.
    var last = Home.nowhere
    swap(&last, &home)
    if case .table(let table) = last { table.map.remove(self) }
  }

  /// Where an object lives.
  enum Home {
    case nowhere
    case draft(Draft)
    case table(AnyTable)
  }

  /// The state of an object, as far as its context knows.
  enum ObjectPhase: UInt8 {
    /// In no context; perhaps in a draft.
    case lone
    /// As in the parent or the store.
    case clean
    case inserted
    /// Edited, or contested; perhaps set back to the base since: see ``becomeCleanIfUnedited()``.
    case updated
    /// To be deleted by the next save.
    case deleted
    /// No longer there.
    case gone
  }

  /// Whether the object was deleted, here or elsewhere. Its last value stays readable.
  public final var isDeleted: Bool { phase == .deleted || phase == .gone }

  // What only a typed object can do.

  package var layout: Layout { preconditionFailure("an instance is always an Object") }
  package func lend(
    _ body: (_ value: StructMemory, _ base: StructMemory?) throws -> Void
  ) rethrows {
    preconditionFailure("an instance is always an Object")
  }
  /// Whether a base is remembered: not of what is clean, nor of what is new.
  var hasBase: Bool { preconditionFailure("an instance is always an Object") }
  /// The value that the context last took from above, with the contest since.
  var base: AnyBox? {
    get { preconditionFailure("an instance is always an Object") }
    set { preconditionFailure("an instance is always an Object") }
  }
  /// Remembers the value as the base to which changes are compared.
  func keepBase() {}
  /// Remembers the other's value as the base.
  func keepBase(of other: GraphObject) {}
  /// Has the other's base as its own; only one of the two may go on to change.
  func shareBase(of other: GraphObject) {}
  func forgetBase() {}
  func returnToBase() {}
  /// Takes over the value of an object of the same entity.
  func copyValue(of other: GraphObject) {}
  /// Takes over the base of an object of the same entity as its value.
  func copyBase(of other: GraphObject) {}
  /// Takes a value of its own entity.
  func take(_ value: any Entity) -> Bool { false }
  var anyValue: any Entity { preconditionFailure("an instance is always an Object") }
  /// A copy of the value, of which a draft or an undo step is the owner.
  func boxed() -> AnyBox { preconditionFailure("an instance is always an Object") }
  /// Exchanges the value with a box's.
  func exchange(with box: AnyBox) {}
  var problems: [Problem] { [] }
}

extension GraphObject: Hashable {
  /// Objects are equal when they are one.
  public static func == (one: GraphObject, other: GraphObject) -> Bool { one === other }

  /// Feeds the identity.
  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension GraphObject {
  /// The object as messages name it: `Card/123`.
  package final var reference: String { "\(layout.name)/\(key)" }

  /// Columns in which the value differs from the base.
  final var changedColumns: ColumnMask {
    let layout = layout
    return borrowing { value, base in
      if let base { layout.difference(value, base) } else { ColumnMask() }
    }
  }

  /// Returns the id that a to-one column refers to.
  final func target(of column: Int) -> Int64? {
    let field = layout.columns[column].field
    return withMemory { field.target(in: $0) }
  }

  /// Makes a to-one column refer to an id.
  final func setTarget(of column: Int, to key: Int64?) {
    let field = layout.columns[column].field
    withMemory { field.setTarget(key, in: $0) }
  }
}

extension GraphObject: WriteSource {
  /// The closure's result of the value, which it may change.
  @inline(__always)
  final func withMemory<Result>(
    _ body: (StructMemory) throws -> Result
  ) rethrows -> Result {
    try borrowing { value, _ in try body(value) }
  }
}
