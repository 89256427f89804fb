/// The interface of a key for code that is not generic over the key. All its functions are static.
@usableFromInline
protocol ErasedKey {
  static var id: KeyID { get }
  static var key: any ContextKey.Type { get }
  static func isEqual(_ a: Cell, _ b: Cell) -> Bool
  static func mailboxContext(in cell: Cell) -> (any MailboxContext)?
}

/// The interface of a branch's key for code that is not generic over the key. All its functions are
/// static.
protocol ErasedBranchingKey: ErasedKey {
  static func makeChild(of parent: Cell) -> Cell
  static func isDirty(_ cell: Cell) -> Bool
  static func isIdentical(_ a: Cell, _ b: Cell) -> Bool
  static func save(_ cell: Cell) throws
  static func saveAll(_ cell: Cell) throws
  static func discard(_ cell: Cell)
  static func describe(_ cell: Cell) -> String
}

/// Returns the interface of a key for code that is not generic over the key.
@inlinable
func erased<K: ContextKey>(_ key: K.Type) -> any ErasedKey.Type { Erased<K>.self }

@usableFromInline
enum Erased<K: ContextKey>: ErasedKey {
  @usableFromInline static var id: KeyID { KeyID(K.self) }
  @usableFromInline static var key: any ContextKey.Type { K.self }

  @usableFromInline
  static func isEqual(_ a: Cell, _ b: Cell) -> Bool {
    let (x, y) = (a.value(as: K.Value.self), b.value(as: K.Value.self))
    // The dynamic type of the value is checked, because the key's value type may be a protocol.
    if type(of: x as Any) is AnyClass, (x as AnyObject) === (y as AnyObject) { return true }
    guard let x = x as? any Equatable else { return false }
    return equals(x, y)
  }

  @usableFromInline
  static func mailboxContext(in cell: Cell) -> (any MailboxContext)? {
    let value = cell.value(as: K.Value.self)
    // Only classes conform to `MailboxContext`. A struct is not cast, because casting would box it.
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

  private static func context(_ cell: Cell) -> K.Value {
    cell.value(as: K.Value.self)
  }

  static func isEqual(_ a: Cell, _ b: Cell) -> Bool { Erased<K>.isEqual(a, b) }
  static func mailboxContext(in cell: Cell) -> (any MailboxContext)? { nil }
  static func makeChild(of parent: Cell) -> Cell {
    TypedCell(context(parent).makeChild())
  }
  static func isDirty(_ cell: Cell) -> Bool {
    let context = context(cell)
    return context.hasUnsavedChanges || context.hasUnsavedChangesBelow
  }
  static func isIdentical(_ a: Cell, _ b: Cell) -> Bool { context(a) === context(b) }
  static func save(_ cell: Cell) throws { try context(cell).save() }
  static func saveAll(_ cell: Cell) throws { try context(cell).saveAll() }
  static func discard(_ cell: Cell) { context(cell).discard() }
  static func describe(_ cell: Cell) -> String { String(describing: context(cell)) }
}

/// A branch's key for code that is not generic over the key. Code that adds many branches makes one
/// `BranchKey` first, so that the runtime looks up the generic types only once.
package struct BranchKey {
  let id: KeyID
  let erased: any ErasedKey.Type
  let branching: any ErasedBranchingKey.Type

  /// Creates a branch key from a key.
  package init<K: ContextKey>(_ key: K.Type) where K.Value: BranchingContext {
    id = KeyID(key)
    erased = Erased<K>.self
    branching = ErasedBranching<K>.self
  }
}
