/// The value of an entity outside any object, such as the base of an edited object.
package class AnyBox {
  package let key: Int64
  /// The contest of the object that has this box as its base; nil if there is no conflict. See
  /// ``Contest``.
  final var contest: Contest?
  /// The to-one columns that a delete rule has set to nil in the object that has this box as its
  /// base.
  final var emptied = ColumnMask()
  init(key: Int64) { self.key = key }
  var layout: Layout { preconditionFailure("a box is always a Box") }
  func withMemory<Result>(_ body: (StructMemory) throws -> Result) rethrows -> Result {
    preconditionFailure("a box is always a Box")
  }
  func copy() -> AnyBox { preconditionFailure("a box is always a Box") }
  /// Returns a box with a value of the same entity, which is moved out of the memory.
  package func make(_ key: Int64, moving scratch: borrowing ScratchMemory) -> AnyBox {
    preconditionFailure("a box is always a Box")
  }
  var anyValue: any Entity { preconditionFailure("a box is always a Box") }
  /// Returns a new object with the box's value and id.
  func makeGraphObject() -> GraphObject { preconditionFailure("a box is always a Box") }
}

final class Box<Value: Entity>: AnyBox {
  /// The value. Its memory is passed to closures. Exclusivity checking is off for speed (benchmark
  /// `child save`), which is safe for the reasons given at ``Object/storage``.
  @exclusivity(unchecked) @safe var value: Value

  init(key: Int64, _ value: Value) {
    self.value = value
    super.init(key: key)
  }

  override var layout: Layout { Value.layout }

  override func withMemory<Result>(
    _ body: (StructMemory) throws -> Result
  ) rethrows -> Result {
    try StructMemory.lend(&value, body)
  }

  override func copy() -> AnyBox {
    let copy = Box(key: key, value)
    copy.contest = contest?.copy()
    copy.emptied = emptied
    return copy
  }

  override func make(_ key: Int64, moving scratch: borrowing ScratchMemory) -> AnyBox {
    Box(key: key, scratch.take(Value.self))
  }

  override var anyValue: any Entity { value }

  override func makeGraphObject() -> GraphObject { Object<Value>(key: key, value) }
}

extension AnyBox {
  /// Copies some properties of a struct of the same entity.
  final func take(_ columns: ColumnMask, of source: StructMemory) {
    let layout = layout
    withMemory { layout.assign(columns, from: source, to: $0) }
  }

  /// Returns the id to which a to-one column refers; nil if it refers to no object.
  final func target(of column: Int) -> Int64? {
    let field = layout.columns[column].field
    return withMemory { field.target(in: $0) }
  }
}
