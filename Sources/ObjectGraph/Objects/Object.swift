import Foundation

/// An object with the value of an entity and a permanent id. Each context has at most one object
/// for each id.
///
/// ```swift
/// let card = Object(Card(question: "2 + 2?"))   // disconnected; its id is already permanent
/// card.deck = deck
/// try context.insert(card)
/// ```
///
/// The properties of the value are read and written through the object. The object's own members
/// are only `id`, `context`, `value`, `isDeleted`, `changes`, `observe` and `updates`. Put methods
/// into an extension, and write `self.` in them:
///
/// ```swift
/// extension Object where Value == Card {
///   func countRight() { self.rightCount += 1 }
/// }
/// ```
///
/// An object is confined to the isolation of its context.
@dynamicMemberLookup
public final class Object<Value: Entity>: GraphObject, Identifiable {
  /// The value. Closures that compare columns or write rows get the memory of this value and of the
  /// base.
  ///
  /// Exclusivity checking is off for speed (benchmark `child save`). This is safe because such a
  /// closure accesses the value only through that memory, and because a setter of the entity sees
  /// only the struct, not the object.
  @exclusivity(unchecked) @safe
  @usableFromInline var storage: Value
  private var box: Box<Value>?

  /// Creates a disconnected object, which is in no context until it is inserted or linked.
  public convenience init(_ value: Value) { self.init(key: KeyClock.next(), value) }

  /// Creates a disconnected object with a given id, such as one from an archive or an import.
  public convenience init(_ value: Value, id: Ref<Value>) { self.init(key: id.key, value) }

  init(key: Int64, _ value: Value) {
    storage = value
    super.init(key: key)
  }

  init(key: Int64, moving scratch: borrowing ScratchMemory, home: Home) {
    storage = scratch.take(Value.self)
    super.init(key: key, home: home)
  }

  /// The id, which never changes. The object has it from its creation.
  public var id: Ref<Value> { Ref(key: key) }

  package override var layout: Layout { Value.layout }

  package override func lend(
    _ body: (_ value: StructMemory, _ base: StructMemory?) throws -> Void
  ) rethrows {
    // This does not call `StructMemory.lend`, because one more generic call here makes `child save`
    // slower.
    try unsafe withUnsafeMutablePointer(to: &storage) { value in
      guard let box else { return try unsafe body(StructMemory(value), nil) }
      try unsafe withUnsafeMutablePointer(to: &box.value) {
        try unsafe body(StructMemory(value), StructMemory($0))
      }
    }
  }

  override var hasBase: Bool { box != nil }

  override var base: AnyBox? {
    get { box }
    set {
      // The bases of an entity's objects are made by its objects, so they are of its type.
      box = newValue.map { unsafe unsafeDowncast($0, to: Box<Value>.self) }
      isContested = newValue?.contest != nil
    }
  }

  override func keepBase() {
    box = Box(key: key, storage)
    isContested = false
  }

  override func keepBase(of other: GraphObject) {
    box = Box(key: key, other.typed(Value.self).storage)
    isContested = false
  }

  override func shareBase(of other: GraphObject) {
    box = other.typed(Value.self).box
    isContested = other.isContested
  }

  override func forgetBase() {
    box = nil
    isContested = false
  }

  override func returnToBase() {
    if let box { storage = box.value }
    forgetBase()
  }

  override func copyValue(of other: GraphObject) {
    storage = other.typed(Value.self).storage
  }

  override func copyBase(of other: GraphObject) {
    let other = other.typed(Value.self)
    storage = other.box?.value ?? other.storage
  }

  override func take(_ value: any Entity) -> Bool {
    guard let value = value as? Value else { return false }
    storage = value
    return true
  }

  override var anyValue: any Entity { storage }

  override func prepared(_ date: Date, isNew: Bool, _ changed: ColumnMask) -> (any Entity)? {
    guard let value = storage as? any WillSave,
      let prepared = value.prepared(date, isNew: isNew, changed) as? Value, !hasValue(prepared)
    else { return nil }
    return prepared
  }

  /// Returns whether the object has a value that is equal in all properties.
  func hasValue(_ value: Value) -> Bool {
    var value = value
    return difference(from: &value).isEmpty
  }

  /// Returns the columns in which a value differs from the object's. The value is `inout`, because a
  /// copy would retain each reference in it.
  func difference(from value: inout Value) -> ColumnMask {
    withValue { mine in StructMemory.lend(&value) { layout.difference(mine, $0) } }
  }

  override func boxed() -> AnyBox { Box(key: key, storage) }

  override func exchange(with box: AnyBox) {
    // Undo exchanges an object's value with a box that this object has made.
    let box = unsafe unsafeDowncast(box, to: Box<Value>.self)
    swap(&box.value, &storage)
  }

  override var problems: [Problem] { Self.problems(of: &storage) }

  /// Returns the rules that a value breaks. The value is `inout`, because a copy would retain each
  /// reference in it.
  private static func problems(of value: inout Value) -> [Problem] { value.problems }
}

extension Object: CustomStringConvertible {
  /// The entity, the id and the value as text.
  public var description: String { "\(Value.layout.name)/\(key) \(storage)" }
}

extension GraphObject {
  /// Returns this object as an `Object` of its entity.
  ///
  /// Release builds do not check the entity. The caller must know the entity from the object's
  /// table, or from the object of which this object is a copy.
  @inline(__always)
  final func typed<Value: Entity>(_: Value.Type) -> Object<Value> {
    unsafe unsafeDowncast(self, to: Object<Value>.self)
  }
}

extension [GraphObject] {
  /// Returns objects of one entity as `Object`s of that entity.
  ///
  /// Release builds do not check the entity, because a check would have to read each object.
  @inline(__always)
  func typed<Value: Entity>(_: Value.Type) -> [Object<Value>] {
    unsafe unsafeBitCast(self, to: [Object<Value>].self)
  }
}
