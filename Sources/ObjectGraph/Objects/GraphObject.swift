/// An object of any entity. It is the superclass of ``Object``, for code that does not name the
/// entity.
public class GraphObject {
  // The fields that a lookup by id reads come first, on the cache line that has the reference
  // count.
  final var phase: ObjectPhase = .lone
  /// Whether the object is in the context's list of changes.
  final var isListed = false
  /// Whether the object was inserted and not saved since. It stays true when the object is removed
  /// again.
  final var isNew = false
  /// Whether the base has a contest.
  final var isContested = false
  /// The id, which is the same in each context and never changes.
  package final let key: Int64
  /// The table or draft that the object belongs to.
  final var home: Home = .nowhere

  init(key: Int64) { self.key = key }

  deinit {
    // The deinit may run on any thread. It only uses the identity map, which has a lock.
    // `home` is moved out instead of copied, so that no reference to it is counted.
    var last = Home.nowhere
    swap(&last, &home)
    if case .table(let table) = last { table.map.remove(self) }
  }

  /// The table or draft that an object belongs to.
  enum Home {
    case nowhere
    case draft(Draft)
    case table(AnyTable)
  }

  /// The state of an object, as far as its context knows.
  enum ObjectPhase: UInt8 {
    /// The object is in no context. It may be in a draft.
    case lone
    /// The object has the value of the parent or the store.
    case clean
    case inserted
    /// The object is edited or contested. It may have returned to the base since: see
    /// ``becomeCleanIfUnedited()``.
    case updated
    /// The next save deletes the object.
    case deleted
    /// The object no longer exists.
    case gone
  }

  /// Whether the object was deleted, here or elsewhere. Its last value stays readable.
  public final var isDeleted: Bool { phase == .deleted || phase == .gone }

  // `Object` overrides these members, which need the type of the value.

  package var layout: Layout { preconditionFailure("an instance is always an Object") }
  package func lend(
    _ body: (_ value: StructMemory, _ base: StructMemory?) throws -> Void
  ) rethrows {
    preconditionFailure("an instance is always an Object")
  }
  /// Whether the object has a base. Clean objects and new ones have none.
  var hasBase: Bool { preconditionFailure("an instance is always an Object") }
  /// The value that the context last took over from the parent or the store, to which edits are
  /// compared; nil if the object has no base. The box also holds the object's contest.
  var base: AnyBox? {
    get { preconditionFailure("an instance is always an Object") }
    set { preconditionFailure("an instance is always an Object") }
  }
  /// Makes the current value the base, to which changes are compared.
  func keepBase() {}
  /// Makes the value of another object the base.
  func keepBase(of other: GraphObject) {}
  /// Makes the base of another object the base of this one. Only one of the two may change
  /// afterwards.
  func shareBase(of other: GraphObject) {}
  func forgetBase() {}
  func returnToBase() {}
  /// Copies the value of another object of the same entity.
  func copyValue(of other: GraphObject) {}
  /// Copies the base of another object of the same entity into the value.
  func copyBase(of other: GraphObject) {}
  /// Replaces the value. Returns false if the new value has another type.
  func take(_ value: any Entity) -> Bool { false }
  var anyValue: any Entity { preconditionFailure("an instance is always an Object") }
  /// Returns a copy of the value in a new box.
  func boxed() -> AnyBox { preconditionFailure("an instance is always an Object") }
  /// Exchanges the value with that of a box.
  func exchange(with box: AnyBox) {}
  var problems: [Problem] { [] }
}

extension GraphObject: Hashable {
  /// Returns whether both are the same object.
  public static func == (one: GraphObject, other: GraphObject) -> Bool { one === other }

  /// Hashes the identity of the object.
  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension GraphObject {
  /// The object as messages name it, such as `Card/123`.
  package final var reference: String { "\(layout.name)/\(key)" }

  /// The columns in which the value differs from the base.
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

  /// Sets the id that a to-one column refers to.
  final func setTarget(of column: Int, to key: Int64?) {
    let field = layout.columns[column].field
    withMemory { field.setTarget(key, in: $0) }
  }
}

extension GraphObject: WriteSource {
  /// Calls a closure with the value, which the closure may change, and returns its result.
  @inline(__always)
  final func withMemory<Result>(
    _ body: (StructMemory) throws -> Result
  ) rethrows -> Result {
    try borrowing { value, _ in try body(value) }
  }
}
