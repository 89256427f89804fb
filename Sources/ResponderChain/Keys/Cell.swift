/// An immutable box for one provided value, shared by all tables that point to it.
///
/// Reference counting of the cell, not of the value, is what keeps a value alive while tables
/// change hands.
@usableFromInline
class Cell {
  /// The value, if its type is a class: it is compared, and found by lookups, without knowing the
  /// type.
  final let object: ObjectRef?
  private final var traits = ClassTraits()

  @usableFromInline
  init(_ object: ObjectRef?) {
    self.object = object
  }

  /// The value. The caller knows its type, because the cell was found under a key.
  @inlinable
  @inline(__always)
  final func value<Value>(as type: Value.Type) -> Value {
    unsafe unsafeDowncast(self, to: TypedCell<Value>.self).value
  }
}

/// The cell of a value whose type is known.
@usableFromInline
final class TypedCell<Value>: Cell {
  @usableFromInline let value: Value
  /// The argument of observers, made once: each would count a reference to make its own.
  @usableFromInline let resolution: Resolution<Value>

  @inlinable
  init(_ value: Value) {
    self.value = value
    resolution = .value(value)
    // A reference is one pointer, whatever its class.
    super.init(
      Value.self is AnyClass ? unsafe ObjectRef(unsafeBitCast(value, to: AnyObject.self)) : nil)
  }
}

extension Cell {
  /// The properties that all objects of a class share. They are asked of the class, because casting
  /// each object would take a third of a change (`root replaced`).
  private struct ClassTraits {
    /// Whether two of them may be equal without being identical.
    var isEquatable = true
    var isMailboxContext = true
  }

  /// Inspects the class of the value, before others see the cell.
  ///
  /// In a slot most values follow one of the same class: inspecting it anew for each took a
  /// fifteenth of a change (`root replaced`).
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

  /// Returns whether both have the same object or equal values of the key.
  final func isEqual(to other: Cell, _ key: any ErasedKey.Type) -> Bool {
    isEvidentlyEqual(to: other) ?? key.isEqual(self, other)
  }

  /// Returns whether both are equal, or nil if their values have to be compared to know it.
  final func isEvidentlyEqual(to other: Cell) -> Bool? {
    if self === other { return true }
    guard let object, let another = other.object else { return nil }
    if object == another { return true }
    return traits.isEquatable ? nil : false
  }

  /// Returns the value, if it wants to know the mailbox of its tree.
  final func mailboxContext(_ key: any ErasedKey.Type) -> (any MailboxContext)? {
    object == nil || traits.isMailboxContext ? key.mailboxContext(in: self) : nil
  }
}

/// A cell that is not retained.
///
/// Valid as long as the table, observer or round in which it was found holds the cell. Nothing may
/// run between finding and reading it that could change those.
@safe
@usableFromInline
struct CellRef: Equatable {
  @usableFromInline let cell: Unmanaged<Cell>

  init(_ cell: Cell) { unsafe self.cell = .passUnretained(cell) }

  /// The cell at an address.
  ///
  /// Unsafe because only the caller knows that a cell is there.
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

  // Unsafe because the compiler does not count these references: whoever takes one must give it back,
  // once.

  /// Takes a reference to the cell.
  @unsafe func retain() { _ = unsafe cell.retain() }

  /// Gives back a reference that ``retain()`` took.
  @unsafe func release() { unsafe cell.release() }

  @usableFromInline
  static func == (a: CellRef, b: CellRef) -> Bool { unsafe a.cell.toOpaque() == b.cell.toOpaque() }
}

/// The object of a cell, not retained. Valid as long as the cell is.
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

  /// The object's class.
  var type: AnyClass { unsafe object._withUnsafeGuaranteedRef { Swift.type(of: $0) } }

  @usableFromInline
  static func == (a: ObjectRef, b: ObjectRef) -> Bool {
    unsafe a.object.toOpaque() == b.object.toOpaque()
  }
}

/// Compares values, remembering the last pair: a round compares the same two again and again.
struct CellComparison {
  private var last: (a: Cell, b: Cell, isEqual: Bool)?

  /// Returns whether both have the same object or equal values of the key.
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
/// An ``Answer`` that counts no references.
///
/// Observers are called with it, and remember it. It is valid as long as its cell or failure is held
/// elsewhere, or until ``release()`` after ``retain()``.
@safe
@usableFromInline
struct UnretainedAnswer {
  @usableFromInline typealias AnswerKind = ContextState<Void, Void>

  static var missing: UnretainedAnswer { unsafe UnretainedAnswer(.missing, nil) }

  @usableFromInline let kind: AnswerKind
  /// A ``Cell`` of the key's value, or a ``Failure``.
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

  // Unsafe because the compiler does not count these references: whoever takes one must give it back,
  // once.

  /// Takes a reference to the cell or failure.
  @unsafe func retain() { _ = unsafe object?.retain() }

  /// Gives back the reference that ``retain()`` took.
  @unsafe func release() { unsafe object?.release() }

  /// The cell, if the answer is a value.
  @inline(__always)
  var cell: CellRef? {
    guard case .value = kind, let object = unsafe object else { return nil }
    return unsafe CellRef(fromOpaque: object.toOpaque())
  }

  /// Whether both are the same state, or the same failure, and no values.
  func isSameState(as other: UnretainedAnswer) -> Bool {
    switch (kind, other.kind) {
    case (.failed, .failed): unsafe object?.toOpaque() == other.object?.toOpaque()
    case (.pending, .pending), (.missing, .missing), (.blocked, .blocked): true
    case (.value, _), (.failed, _), (.pending, _), (.missing, _), (.blocked, _): false
    }
  }
}

extension UnretainedAnswer {
  /// Calls the closure with the answer, typed. The caller keeps the cell or failure meanwhile.
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
