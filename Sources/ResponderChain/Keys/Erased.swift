/// An immutable box for one provided value, shared by all tables that point to it.
///
/// Reference counting of the cell, not of the value, is what keeps a value alive while tables
/// change hands.
@usableFromInline
final class Cell<Value> {
  @usableFromInline let value: Value
  /// What observers are called with, made once: each would count a reference to make its own.
  @usableFromInline let resolution: Resolution<Value>

  @usableFromInline
  init(_ value: Value) {
    self.value = value
    resolution = .value(value)
  }
}

/// What the untyped engine needs to know of a key: no instance, only static functions.
@usableFromInline
protocol ErasedKey {
  static var id: KeyID { get }
  static var key: any ContextKey.Type { get }
  static func isEqual(_ a: AnyObject, _ b: AnyObject) -> Bool
  static func mailboxContext(in cell: AnyObject) -> (any MailboxContext)?
}

/// The same for a key whose values can make children.
protocol ErasedBranchingKey: ErasedKey {
  static func makeChild(of parent: AnyObject) -> AnyObject
  static func isDirty(_ cell: AnyObject) -> Bool
  static func isIdentical(_ a: AnyObject, _ b: AnyObject) -> Bool
  static func save(_ cell: AnyObject) throws
  static func saveAll(_ cell: AnyObject) throws
  static func discard(_ cell: AnyObject)
  static func describe(_ cell: AnyObject) -> String
}

/// The untyped form of a key.
@usableFromInline
func erased<K: ContextKey>(_ key: K.Type) -> any ErasedKey.Type { Erased<K>.self }

enum Erased<K: ContextKey>: ErasedKey {
  static var id: KeyID { KeyID(K.self) }
  static var key: any ContextKey.Type { K.self }

  static func isEqual(_ a: AnyObject, _ b: AnyObject) -> Bool {
    if a === b { return true }
    let x = unsafeDowncast(a, to: Cell<K.Value>.self).value
    let y = unsafeDowncast(b, to: Cell<K.Value>.self).value
    if K.Value.self is AnyClass {
      // A reference is one pointer, whatever its class.
      let x = unsafeBitCast(x, to: AnyObject.self)
      if x === unsafeBitCast(y, to: AnyObject.self) { return true }
      // Most are not; asking the class is cheaper than casting the object.
      guard type(of: x) is any Equatable.Type else { return false }
    } else if type(of: x as Any) is AnyClass, (x as AnyObject) === (y as AnyObject) {
      return true
    }
    guard let x = x as? any Equatable else { return false }
    return equals(x, y)
  }

  static func mailboxContext(in cell: AnyObject) -> (any MailboxContext)? {
    let value = unsafeDowncast(cell, to: Cell<K.Value>.self).value
    // Only classes conform, and a cast of a struct would box it; a key's type may be a protocol's.
    if K.Value.self is AnyClass {
      let object = unsafeBitCast(value, to: AnyObject.self)
      guard type(of: object) is any MailboxContext.Type else { return nil }
      return object as? any MailboxContext
    }
    guard type(of: value as Any) is AnyClass else { return nil }
    return value as? any MailboxContext
  }

  private static func equals<T: Equatable>(_ x: T, _ y: Any) -> Bool {
    (y as? T) == x
  }
}

enum ErasedBranching<K: ContextKey>: ErasedBranchingKey where K.Value: BranchingContext {
  static var id: KeyID { KeyID(K.self) }
  static var key: any ContextKey.Type { K.self }

  private static func context(_ cell: AnyObject) -> K.Value {
    unsafeDowncast(cell, to: Cell<K.Value>.self).value
  }

  static func isEqual(_ a: AnyObject, _ b: AnyObject) -> Bool { Erased<K>.isEqual(a, b) }
  static func mailboxContext(in cell: AnyObject) -> (any MailboxContext)? { nil }
  static func makeChild(of parent: AnyObject) -> AnyObject { Cell(context(parent).makeChild()) }
  static func isDirty(_ cell: AnyObject) -> Bool {
    let context = context(cell)
    return context.hasUnsavedChanges || context.hasUnsavedChangesBelow
  }
  static func isIdentical(_ a: AnyObject, _ b: AnyObject) -> Bool { context(a) === context(b) }
  static func save(_ cell: AnyObject) throws { try context(cell).save() }
  static func saveAll(_ cell: AnyObject) throws { try context(cell).saveAll() }
  static func discard(_ cell: AnyObject) { context(cell).discard() }
  static func describe(_ cell: AnyObject) -> String { String(describing: context(cell)) }
}
