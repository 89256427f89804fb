/// An immutable box for one provided value, shared by all tables that point to it.
///
/// A value lives as long as its cell. So tables count references to the cell and never copy the
/// value.
@usableFromInline
class Cell {
  /// The value, if its type is a class. Lookups return it, and rounds compare it, without knowing
  /// its type.
  final let object: ObjectRef?
  private final var traits = ClassTraits()

  @usableFromInline
  init(_ object: ObjectRef?) {
    self.object = object
  }

  /// Returns the value, whose type the caller knows because it found the cell under a key.
  @inlinable
  @inline(__always)
  final func value<Value>(as type: Value.Type) -> Value {
    unsafe unsafeDowncast(self, to: TypedCell<Value>.self).value
  }
}

/// A cell with the type of its value.
@usableFromInline
final class TypedCell<Value>: Cell {
  @usableFromInline let value: Value
  /// The argument with which observers are called. It is made once for the cell, because making it
  /// for each call would count a reference each time.
  @usableFromInline let resolution: Resolution<Value>

  @inlinable
  init(_ value: Value) {
    self.value = value
    resolution = .value(value)
    // This cast is valid because a reference is one pointer for all classes.
    super.init(
      Value.self is AnyClass ? unsafe ObjectRef(unsafeBitCast(value, to: AnyObject.self)) : nil)
  }
}

extension Cell {
  /// The properties that all objects of a class share. They are read from the class, because
  /// casting each object took a third of the time of a change (`root replaced`).
  private struct ClassTraits {
    /// Whether two objects of the class may be equal without being identical.
    var isEquatable = true
    var isMailboxContext = true
  }

  /// Reads the traits of the value's class, before other code sees the cell.
  ///
  /// Most values replace a value of the same class in their slot, and copy that value's traits.
  /// Inspecting the class of each value took a fifteenth of the time of a change (`root replaced`).
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

  /// Returns whether both cells have the identical object or equal values.
  final func isEqual(to other: Cell, _ key: any ErasedKey.Type) -> Bool {
    isEvidentlyEqual(to: other) ?? key.isEqual(self, other)
  }

  /// Returns whether both cells are equal; nil if that depends on comparing their values.
  final func isEvidentlyEqual(to other: Cell) -> Bool? {
    if self === other { return true }
    guard let object, let another = other.object else { return nil }
    if object == another { return true }
    return traits.isEquatable ? nil : false
  }

  /// Returns the value if it is a context that joins the mailbox of its tree.
  final func mailboxContext(_ key: any ErasedKey.Type) -> (any MailboxContext)? {
    object == nil || traits.isMailboxContext ? key.mailboxContext(in: self) : nil
  }
}

/// An unretained reference to a cell.
///
/// It is valid as long as the table, observer or round in which it was found holds the cell.
/// Between finding the reference and reading it, no code may run that could change the holder.
@safe
@usableFromInline
struct CellRef: Equatable {
  @usableFromInline let cell: Unmanaged<Cell>

  init(_ cell: Cell) { unsafe self.cell = .passUnretained(cell) }

  /// Makes a reference to the cell at an address.
  ///
  /// Unsafe because only the caller knows that a cell is at the address.
  @unsafe fileprivate init(fromOpaque pointer: UnsafeMutableRawPointer) {
    unsafe cell = .fromOpaque(pointer)
  }

  /// The cell, retained.
  var strong: Cell { unsafe cell.takeUnretainedValue() }

  /// Returns the value, whose type the caller knows.
  @inlinable
  @inline(__always)
  func value<Value>(as type: Value.Type) -> Value {
    unsafe cell._withUnsafeGuaranteedRef { $0.value(as: type) }
  }

  /// Calls the closure with the cell, without counting a reference.
  @inline(__always)
  func with<R>(_ body: (Cell) -> R) -> R { unsafe cell._withUnsafeGuaranteedRef { body($0) } }

  // These functions are unsafe because the compiler does not count their references. Each reference
  // that is taken must be given back exactly once.

  /// Retains the cell.
  @unsafe func retain() { _ = unsafe cell.retain() }

  /// Releases the cell, which ``retain()`` retained.
  @unsafe func release() { unsafe cell.release() }

  @usableFromInline
  static func == (a: CellRef, b: CellRef) -> Bool { unsafe a.cell.toOpaque() == b.cell.toOpaque() }
}

/// An unretained reference to the object of a cell. It is valid as long as the cell is.
@safe
@usableFromInline
struct ObjectRef: Equatable {
  @usableFromInline let object: Unmanaged<AnyObject>

  @usableFromInline
  init(_ object: AnyObject) { unsafe self.object = .passUnretained(object) }

  /// Returns the object, whose class the caller knows.
  @inlinable
  @inline(__always)
  func object<Object>(as type: Object.Type) -> Object where Object: AnyObject {
    unsafe object._withUnsafeGuaranteedRef { unsafe unsafeDowncast($0, to: type) }
  }

  /// The object, retained.
  var strong: AnyObject { unsafe object.takeUnretainedValue() }

  /// The object's class.
  var type: AnyClass { unsafe object._withUnsafeGuaranteedRef { Swift.type(of: $0) } }

  @usableFromInline
  static func == (a: ObjectRef, b: ObjectRef) -> Bool {
    unsafe a.object.toOpaque() == b.object.toOpaque()
  }
}

/// A comparison of values that remembers its last pair, because a round compares the same two
/// values again and again.
struct CellComparison {
  private var last: (a: Cell, b: Cell, isEqual: Bool)?

  /// Returns whether both cells have the identical object or equal values.
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
/// An ``Answer`` that retains nothing.
///
/// Observers are called with such an answer and remember it. It is valid as long as something else
/// holds its cell or failure, or between a call of ``retain()`` and one of ``release()``.
@safe
@usableFromInline
struct UnretainedAnswer {
  @usableFromInline typealias AnswerKind = ContextState<Void, Void>

  static var missing: UnretainedAnswer { unsafe UnretainedAnswer(.missing, nil) }

  @usableFromInline let kind: AnswerKind
  /// The ``Cell`` of a value, or a ``Failure``.
  @usableFromInline let object: Unmanaged<AnyObject>?

  init(_ answer: Answer) {
    switch answer {
    case .value(let cell): unsafe self.init(.value(()), .passUnretained(cell))
    case .failed(let failure): unsafe self.init(.failed(()), .passUnretained(failure))
    case .pending: unsafe self.init(.pending, nil)
    case .missing: unsafe self.init(.missing, nil)
    case .blocked: unsafe self.init(.blocked, nil)
    }
  }

  init(_ cell: CellRef) {
    unsafe self.init(.value(()), cell.with { unsafe .passUnretained($0) })
  }

  private init(_ kind: AnswerKind, _ object: Unmanaged<AnyObject>?) {
    unsafe self.object = object
    self.kind = kind
  }

  // These functions are unsafe because the compiler does not count their references. Each reference
  // that is taken must be given back exactly once.

  /// Retains the cell or failure.
  @unsafe func retain() { _ = unsafe object?.retain() }

  /// Releases the cell or failure, which ``retain()`` retained.
  @unsafe func release() { unsafe object?.release() }

  /// The cell, if the answer is a value.
  @inline(__always)
  var cell: CellRef? {
    guard case .value = kind, let object = unsafe object else { return nil }
    return unsafe CellRef(fromOpaque: object.toOpaque())
  }

  /// Returns whether both answers are the same failure, or the same state without a value or
  /// failure.
  func isSameState(as other: UnretainedAnswer) -> Bool {
    switch (kind, other.kind) {
    case (.failed, .failed): unsafe object?.toOpaque() == other.object?.toOpaque()
    case (.pending, .pending), (.missing, .missing), (.blocked, .blocked): true
    case (.value, _), (.failed, _), (.pending, _), (.missing, _), (.blocked, _): false
    }
  }
}

extension UnretainedAnswer {
  /// Calls the closure with the typed answer, which a cell stores. The caller holds the cell or
  /// failure during the call.
  @inlinable
  @inline(__always)
  func lend<Value>(_: Value.Type, _ body: (Resolution<Value>) -> Void) {
    guard let object = unsafe object else { return body(stateWithoutObject()) }
    unsafe object._withUnsafeGuaranteedRef {
      if case .value = kind {
        body(unsafe unsafeDowncast($0, to: TypedCell<Value>.self).resolution)
      } else {
        body(.failed(unsafe unsafeDowncast($0, to: Failure.self).error))
      }
    }
  }

  @inlinable
  func stateWithoutObject<Value>() -> Resolution<Value> {
    switch kind {
    case .pending: .pending
    case .blocked: .blocked
    case .missing, .value, .failed: .missing
    }
  }
}
