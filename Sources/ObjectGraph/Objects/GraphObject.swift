import Foundation

/// An object of any entity. It is the superclass of ``Object``, for code that works with all
/// entities.
public class GraphObject {
  // A lookup by id reads these first fields. They are on the same cache line as the reference
  // count.
  final var phase: ObjectPhase = .lone
  /// Whether the object is in its context's list of changes.
  final var isListed = false
  /// Whether the object was inserted and not saved since. It stays true when the object is deleted
  /// again.
  final var isNew = false
  /// Whether the base has a ``Contest``: properties edited in this context were also changed above,
  /// or the object was deleted above.
  final var isContested = false
  /// The id, which is the same in each context and never changes.
  package final let key: Int64
  /// The table or draft to which the object belongs.
  final var home: Home

  init(key: Int64, home: Home = .nowhere) {
    self.key = key
    self.home = home
  }

  deinit {
    // The deinit may run on any thread, so it only uses the identity map, which has a lock. `home`
    // is moved out instead of copied, which needs no reference counting.
    var last = Home.nowhere
    swap(&last, &home)
    if case .table(let table) = last { withExtendedLifetime(table) { table.map.remove(self) } }
  }

  /// The table or draft to which an object belongs.
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
    /// The object has or had edited or contested properties. If it has none any more,
    /// ``becomeCleanIfUnedited()`` makes it clean.
    case updated
    /// The next save deletes the object.
    case deleted
    /// The object exists neither in its context nor above any more, as far as the context knows.
    case gone
  }

  /// Whether the object was deleted, here or elsewhere. Its last value can still be read.
  public final var isDeleted: Bool { phase == .deleted || phase == .gone }

  // `Object` overrides these members, which need the type of the value.

  package var layout: Layout { preconditionFailure("a GraphObject is always an Object") }
  package func lend(
    _ body: (_ value: StructMemory, _ base: StructMemory?) throws -> Void
  ) rethrows {
    preconditionFailure("a GraphObject is always an Object")
  }
  /// Whether the object has a base. Clean and new objects have none.
  var hasBase: Bool { preconditionFailure("a GraphObject is always an Object") }
  /// The base: the last value that the context got from the parent or the store. Edits are compared
  /// to the base. Clean and new objects have none, so the property is nil for them.
  var base: AnyBox? {
    get { preconditionFailure("a GraphObject is always an Object") }
    set { preconditionFailure("a GraphObject is always an Object") }
  }
  /// Sets the base to a copy of the current value. Later edits are compared to this base.
  func keepBase() {}
  /// Sets the base to a copy of another object's value.
  func keepBase(of other: GraphObject) {}
  /// Sets the base to the base of another object, without a copy. Afterwards, only one of the two
  /// objects may change this base.
  func shareBase(of other: GraphObject) {}
  func forgetBase() {}
  func returnToBase() {}
  /// Copies the value of another object of the same entity.
  func copyValue(of other: GraphObject) {}
  /// Replaces the value with the base of another object of the same entity. If the other object has
  /// no base, its value is used.
  func copyBase(of other: GraphObject) {}
  /// Replaces the value. Returns false without a change if the new value has another type.
  func take(_ value: any Entity) -> Bool { false }
  var anyValue: any Entity { preconditionFailure("a GraphObject is always an Object") }
  /// Returns the value that a save is to write; nil if it is the object's own.
  func prepared(_ date: Date, isNew: Bool, _ changed: ColumnMask) -> (any Entity)? { nil }
  /// Returns a copy of the value in a new box.
  func boxed() -> AnyBox { preconditionFailure("a GraphObject is always an Object") }
  /// Exchanges the value with the value of a box.
  func exchange(with box: AnyBox) {}
  var problems: [Problem] { [] }
}

extension GraphObject: Hashable {
  /// Returns whether both references are to the same object.
  public static func == (one: GraphObject, other: GraphObject) -> Bool { one === other }

  /// Hashes the identity of the object.
  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension GraphObject {
  /// The object's name in messages, such as `Card/123`.
  package final var reference: String { "\(layout.name)/\(key)" }

  /// The columns in which the value differs from the base.
  final var changedColumns: ColumnMask { changedColumns(layout) }

  /// Returns the columns in which the value differs from the base. The layout is the object's own.
  @inline(__always)
  final func changedColumns(_ layout: Layout) -> ColumnMask {
    borrowing { value, base in
      if let base { layout.difference(value, base) } else { ColumnMask() }
    }
  }

  /// Returns the id to which a to-one column refers; nil if it refers to no object.
  final func target(of column: Int) -> Int64? {
    let field = layout.columns[column].field
    return withMemory { field.target(in: $0) }
  }

  /// Sets the id to which a to-one column refers.
  final func setTarget(of column: Int, to key: Int64?) {
    let field = layout.columns[column].field
    withMemory { field.setTarget(key, in: $0) }
  }
}

extension GraphObject: WriteSource {
  /// Calls a closure with the memory of the value, and returns the closure's result. The closure
  /// may change the value.
  @inline(__always)
  final func withMemory<Result>(
    _ body: (StructMemory) throws -> Result
  ) rethrows -> Result {
    try borrowing { value, _ in try body(value) }
  }
}
