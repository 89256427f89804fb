/// An immutable box for one provided value, shared by all tables that point to it.
///
/// Reference counting of the cell, not of the value, is what keeps a value alive while tables
/// change hands.
@usableFromInline
class Cell {
  /// The value, if its type is a class: it is compared, and found by lookups, without knowing the
  /// type.
  final let object: Unmanaged<AnyObject>?
  private final var traits = Traits()

  @usableFromInline
  init(_ object: Unmanaged<AnyObject>?) {
    self.object = object
  }
}

/// The cell of a value whose type is known.
@usableFromInline
final class TypedCell<Value>: Cell {
  @usableFromInline let value: Value
  /// What observers are called with, made once: each would count a reference to make its own.
  @usableFromInline let resolution: Resolution<Value>

  @inlinable
  init(_ value: Value) {
    self.value = value
    resolution = .value(value)
    // A reference is one pointer, whatever its class.
    super.init(
      Value.self is AnyClass ? .passUnretained(unsafeBitCast(value, to: AnyObject.self)) : nil)
  }
}

extension Cell {
  /// What is so of all objects of a class, which is asked of the class: casting each object would
  /// take a third of a change.
  private struct Traits {
    /// Whether two of them may be equal without being identical.
    var isEquatable = true
    var isMailboxContext = true
  }

  /// Finds out about the value's class, before others see the cell.
  ///
  /// In a slot most values follow one of the same class: asking anew for each took a fifteenth of a
  /// change.
  final func learn(from present: Cell? = nil) {
    object?._withUnsafeGuaranteedRef { object in
      let type: AnyClass = Swift.type(of: object)
      if let present, let other = present.object,
        other._withUnsafeGuaranteedRef({ Swift.type(of: $0) == type })
      {
        traits = present.traits
      } else {
        traits = Traits(
          isEquatable: type is any Equatable.Type,
          isMailboxContext: type is any MailboxContext.Type)
      }
    }
  }

  /// Whether both have the same object or equal values of the key.
  final func isEqual(to other: Cell, _ key: any ErasedKey.Type) -> Bool {
    isEvidentlyEqual(to: other) ?? key.isEqual(self, other)
  }

  /// The same, as far as no values have to be compared.
  final func isEvidentlyEqual(to other: Cell) -> Bool? {
    if self === other { return true }
    guard let object, let another = other.object else { return nil }
    if object.toOpaque() == another.toOpaque() { return true }
    return traits.isEquatable ? nil : false
  }

  /// The value, if it wants to know the mailbox of its tree.
  final func mailboxContext(_ key: any ErasedKey.Type) -> (any MailboxContext)? {
    object == nil || traits.isMailboxContext ? key.mailboxContext(in: self) : nil
  }
}
