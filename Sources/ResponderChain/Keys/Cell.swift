/// An immutable box for one provided value. All node tables that have this value share the box.
///
/// A table retains the cell instead of copying the value. The value lives as long as its cell.
@usableFromInline
class Cell {
  /// The value if its type is a class; nil otherwise. Lookups return this reference, and rounds
  /// compare it, without the type of the value.
  final let object: ObjectRef?
  private final var traits = ClassTraits()

  @usableFromInline
  init(_ object: ObjectRef?) {
    self.object = object
  }

  /// Returns the value. The caller must pass the value type of the key under which it found the
  /// cell.
  @inlinable
  @inline(__always)
  final func value<Value>(as type: Value.Type) -> Value {
    unsafe unsafeDowncast(self, to: TypedCell<Value>.self).value
  }
}

/// A cell that has the type of its value as a generic parameter.
@usableFromInline
final class TypedCell<Value>: Cell {
  @usableFromInline let value: Value
  /// The value in the form in which observers receive it. It is made once for the cell, because
  /// making it for each call would retain the value each time.
  @usableFromInline let resolution: Resolution<Value>

  @inlinable
  init(_ value: Value) {
    self.value = value
    resolution = .value(value)
    // This cast is valid because a reference is one pointer, whatever its class.
    super.init(
      Value.self is AnyClass ? unsafe ObjectRef(unsafeBitCast(value, to: AnyObject.self)) : nil)
  }
}

extension Cell {
  /// The protocols to which the class of a value conforms. They are read from the class, because
  /// casting each object took a third of the time of a change (`root replaced`).
  private struct ClassTraits {
    /// Whether two objects of the class may be equal without being identical.
    var isEquatable = true
    var isMailboxContext = true
  }

  /// Sets the traits of the value's class. This function must be called before other code can use
  /// the cell.
  ///
  /// The traits are copied from `present`, the cell that this one replaces, if its value has the
  /// same class. Inspecting the class of each value took a fifteenth of the time of a change (`root
  /// replaced`).
  final func inspectClass(following present: Cell? = nil) {
    guard let type = object?.type else { return }
    if let present, present.object?.type == type {
      traits = present.traits
    } else {
      traits = ClassTraits(
        isEquatable: type is any Equatable.Type,
        isMailboxContext: type is any MailboxContext.Type)
    }
  }

  /// Returns whether the two cells have the same object or equal values.
  final func isEqual(to other: Cell, _ key: any ErasedKey.Type) -> Bool {
    isEvidentlyEqual(to: other) ?? key.isEqual(self, other)
  }

  /// Returns whether the two cells are equal; nil if their values must be compared to decide this.
  final func isEvidentlyEqual(to other: Cell) -> Bool? {
    if self === other { return true }
    guard let object, let another = other.object else { return nil }
    if object == another { return true }
    return traits.isEquatable ? nil : false
  }

  /// Returns the value if it is a ``MailboxContext``; nil otherwise.
  final func mailboxContext(_ key: any ErasedKey.Type) -> (any MailboxContext)? {
    object == nil || traits.isMailboxContext ? key.mailboxContext(in: self) : nil
  }
}

/// An unretained reference to a cell.
///
/// The reference is valid as long as the table, observer or round that it comes from retains the
/// cell. The caller must use it before any code runs that could change that table, observer or
/// round.
@safe
@usableFromInline
struct CellRef: Equatable {
  @usableFromInline let cell: Unmanaged<Cell>

  init(_ cell: Cell) { unsafe self.cell = .passUnretained(cell) }

  /// A strong reference to the cell.
  var strong: Cell { unsafe cell.takeUnretainedValue() }

  /// Returns the cell's value. The caller must pass the value type of the cell's key.
  @inlinable
  @inline(__always)
  func value<Value>(as type: Value.Type) -> Value {
    unsafe cell._withUnsafeGuaranteedRef { $0.value(as: type) }
  }

  /// Calls the closure with the cell, without retaining the cell.
  @inline(__always)
  func with<R>(_ body: (Cell) -> R) -> R { unsafe cell._withUnsafeGuaranteedRef { body($0) } }

  // These functions are unsafe because the compiler does not count their references. Each call of
  // `retain()` needs exactly one call of `release()`.

  /// Retains the cell.
  @unsafe func retain() { _ = unsafe cell.retain() }

  /// Releases the cell once, to balance one call of ``retain()``.
  @unsafe func release() { unsafe cell.release() }

  @usableFromInline
  static func == (a: CellRef, b: CellRef) -> Bool { unsafe a.cell.toOpaque() == b.cell.toOpaque() }
}

/// An unretained reference to the object in a cell. It is valid as long as the cell exists.
@safe
@usableFromInline
struct ObjectRef: Equatable {
  @usableFromInline let object: Unmanaged<AnyObject>

  @usableFromInline
  init(_ object: AnyObject) { unsafe self.object = .passUnretained(object) }

  /// Returns the object. The caller must pass the object's class or a superclass.
  @inlinable
  @inline(__always)
  func object<Object>(as type: Object.Type) -> Object where Object: AnyObject {
    unsafe object._withUnsafeGuaranteedRef { unsafe unsafeDowncast($0, to: type) }
  }

  /// A strong reference to the object.
  var strong: AnyObject { unsafe object.takeUnretainedValue() }

  /// The object's class.
  var type: AnyClass { unsafe object._withUnsafeGuaranteedRef { Swift.type(of: $0) } }

  @usableFromInline
  static func == (a: ObjectRef, b: ObjectRef) -> Bool {
    unsafe a.object.toOpaque() == b.object.toOpaque()
  }
}

/// A comparison of cells that stores its last result, because a round compares the same two cells
/// many times.
struct CellComparison {
  private var last: (a: Cell, b: Cell, isEqual: Bool)?

  /// Returns whether the two cells have the same object or equal values.
  mutating func isEqual(_ a: CellRef, _ b: CellRef, _ key: any ErasedKey.Type) -> Bool {
    a.with { a in
      b.with { b in
        if let isEqual = a.isEvidentlyEqual(to: b) { return isEqual }
        if let last, last.a === a, last.b === b { return last.isEqual }
        let isEqual = key.isEqual(a, b)
        last = (a, b, isEqual)
        return isEqual
      }
    }
  }
}
