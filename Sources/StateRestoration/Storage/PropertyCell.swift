import ResponderChain

/// The storage of one restorable property, without the type of its value.
///
/// A property wrapper does not know its responder. So a property is added to the responder's
/// attachment only when it is first set, or when its archived value is looked up. A save copies the
/// archived value of a property that was never used.
@usableFromInline
class PropertyCell {
  final let key: PropertyKey
  // Exclusivity is unchecked for speed (`save` and `restore`): no access runs code of an app, and
  // nothing else gets a reference to the storage.
  @exclusivity(unchecked) @safe @usableFromInline final var phase = PropertyPhase.initial
  /// Whether ``valueDidChange(in:isArchived:isGone:)`` is to be called.
  @exclusivity(unchecked) @safe final var isFollowed = false
  /// Whether the archived value is a reference that leads to nothing.
  @exclusivity(unchecked) @safe final var isGone = false
  /// The class that declares the property; nil until the property is in a list.
  @exclusivity(unchecked) @safe @usableFromInline final fileprivate(set) var owner: Any.Type?
  /// The next property in the list of the responder's properties.
  @exclusivity(unchecked) @safe fileprivate final var next: PropertyCell?

  @usableFromInline
  init(_ key: PropertyKey) { self.key = key }

  /// Writes the property's value.
  func write(to writer: inout ValueWriter) throws {}

  /// Reads an archived value, and sets the property to it.
  func read(from reader: inout ValueReader) throws {}

  /// Tells the followers of the property that it has another value, if it ``isFollowed``. The value
  /// was set, or it is the archived one. `isGone` says that the archived value is a reference that
  /// leads to nothing.
  func valueDidChange(in owner: Responder, isArchived: Bool, isGone: Bool) {}

  /// Makes the next use of the property read its archived value again.
  final func forget() { if phase != .initial { phase = .known } }
}

/// The state of a property with respect to its archived value.
@usableFromInline
enum PropertyPhase: UInt8 {
  /// The property was not used yet.
  case initial
  /// The archived value was not read yet: the property was set before its responder was decoded, the
  /// value waits for a context, or another archive was restored.
  case known
  /// The archived value cannot be read. Its bytes stay until the property is set.
  case unreadable
  /// There is no archived value. The property has its initial value, or a default that was set
  /// before its responder was decoded.
  case absent
  /// The value is the archived one, or was set later.
  case present

  /// Whether uses of the property no longer look for an archived value.
  @inlinable var isFinal: Bool { self == .present || self == .absent }
}

/// The storage of a property, with the type of its value.
@usableFromInline
class ValueCell<Value>: PropertyCell {
  // Exclusivity is not checked. This is safe because a read copies the value, and because only
  // `replace` sets it, which ends the access before the old value can be deallocated.
  @exclusivity(unchecked) @safe @usableFromInline final var value: Value

  @inlinable
  init(_ key: PropertyKey, _ value: Value) {
    self.value = value
    super.init(key)
  }

  /// Sets the value. The old value is kept until the new one is stored, because its deinit may run
  /// code of an app that uses this property.
  @inlinable
  final func replace(with newValue: Value) {
    let old = value
    value = newValue
    withExtendedLifetime(old) {}
  }
}

/// The storage of a property that can be archived.
@usableFromInline
final class StateCell<Value: StateValue>: ValueCell<Value> {
  override func write(to writer: inout ValueWriter) throws { try value.write(to: &writer) }
  override func read(from reader: inout ValueReader) throws {
    replace(with: try Value.read(from: &reader))
  }
}

/// The properties of one responder that are to be archived, as a linked list. The list has no order
/// until it is sorted.
struct PropertyList: Sequence, IteratorProtocol {
  private var first: PropertyCell?

  var isEmpty: Bool { first == nil }

  mutating func next() -> PropertyCell? {
    defer { first = first?.next }
    return first
  }

  /// Adds a property that is in no list yet.
  mutating func insert(_ cell: PropertyCell, of owner: Any.Type) {
    cell.owner = owner
    cell.next = first
    first = cell
  }

  /// Calls the closure with each property. Properties that the closure adds are skipped.
  func forEach(_ body: (PropertyCell) -> Void) {
    var next = first
    while let cell = next {
      body(cell)
      next = cell.next
    }
  }

  /// Sorts the properties by their keys, and removes storage that no property uses any more. An
  /// `init` that assigns to a wrapper, as in `_x = …`, leaves it behind.
  ///
  /// - Returns: whether storage was removed.
  mutating func sort() -> Bool {
    guard !isSorted else { return false }
    var cells = Array(self)
    for cell in cells { cell.next = nil }
    first = nil
    cells.sort { $1.key < $0.key }
    var hasRemoved = false
    for index in cells.indices {
      if isKnownUniquelyReferenced(&cells[index]) {
        hasRemoved = true
      } else {
        cells[index].next = first
        first = cells[index]
      }
    }
    return hasRemoved
  }

  private var isSorted: Bool {
    mutating get {
      guard !isKnownUniquelyReferenced(&first) else { return false }
      var cell = first
      // Uniqueness is checked before this loop has a reference of its own to the next property.
      while let one = cell, !isKnownUniquelyReferenced(&one.next) {
        guard let next = one.next else { return true }
        guard one.key < next.key else { return false }
        cell = next
      }
      return cell == nil
    }
  }
}
