/// The storage of one restorable property, without the type of its value.
///
/// A property wrapper does not know its responder. So the responder's attachment learns of a
/// property only when it is first set, or when its archived value is looked up. A property that was
/// never used has its initial value. A save copies its archived value, if there is one.
@usableFromInline
class PropertyCell {
  final let key: PropertyKey
  // Exclusivity checking of the phase and the value is off for speed. This is safe because each
  // access is a copy or an assignment, and nothing outside gets a reference to the storage.
  @exclusivity(unchecked) @safe @usableFromInline final var phase = PropertyPhase.initial
  /// The class that declares the property; nil until the property is in a list.
  @usableFromInline final fileprivate(set) var owner: Any.Type?
  /// The next property in the list of the responder's properties.
  fileprivate final var next: PropertyCell?

  @usableFromInline
  init(_ key: PropertyKey) { self.key = key }

  /// Writes the property's value.
  func write(to writer: inout ValueWriter) throws {}

  /// Reads the property's value.
  func read(from reader: inout ValueReader) throws {}

  /// Lets the next use of the property read the archive again.
  final func forget() { if phase != .initial { phase = .known } }
}

/// The relation of a property to its archived value.
@usableFromInline
enum PropertyPhase: UInt8 {
  /// The property was not used.
  case initial
  /// The attachment knows the property, but its archived value was not read yet. The property was
  /// set before its responder was decoded, its value waits for a context, or another archive was
  /// restored.
  case known
  /// The archived value cannot be read. Its bytes stay until the property is set.
  case unreadable
  /// There is no archived value. The property has its initial value, or a default that was set
  /// before its responder was decoded.
  case absent
  /// The value is the archived one or newer.
  case settled

  /// Whether a use of the property need not look into the archive any more.
  @inlinable var isFinal: Bool { self == .settled || self == .absent }
}

/// The storage of a property, with the type of its value.
@usableFromInline
class ValueCell<Value>: PropertyCell {
  @exclusivity(unchecked) @safe @usableFromInline final var value: Value

  @inlinable
  init(_ key: PropertyKey, _ value: Value) {
    self.value = value
    super.init(key)
  }
}

/// The storage of a property that can be archived.
@usableFromInline
final class StateCell<Value: StateValue>: ValueCell<Value> {
  override func write(to writer: inout ValueWriter) throws { try value.write(to: &writer) }
  override func read(from reader: inout ValueReader) throws {
    value = try Value.read(from: &reader)
  }
}

/// The properties of one responder that are to be archived, as a linked list. They are in no order
/// until they are sorted.
struct PropertyList: Sequence, IteratorProtocol {
  private var first: PropertyCell?

  var isEmpty: Bool { first == nil }

  mutating func next() -> PropertyCell? {
    defer { first = first?.next }
    return first
  }

  /// Adds a property that is in no list.
  mutating func insert(_ cell: PropertyCell, of owner: Any.Type) {
    cell.owner = owner
    cell.next = first
    first = cell
  }

  /// Sorts the properties by their keys, and removes storage that no property uses any more. An
  /// `init` that assigns `_x` leaves such storage behind.
  mutating func sort() {
    guard !isSorted else { return }
    var cells = Array(self)
    for cell in cells { cell.next = nil }
    first = nil
    cells.sort { $1.key < $0.key }
    for index in cells.indices where isKnownUniquelyReferenced(&cells[index]) == false {
      cells[index].next = first
      first = cells[index]
    }
  }

  private var isSorted: Bool {
    mutating get {
      guard !isKnownUniquelyReferenced(&first) else { return false }
      var cell = first
      while let one = cell {
        if let next = one.next {
          guard one.key < next.key, !isKnownUniquelyReferenced(&one.next) else { return false }
        }
        cell = one.next
      }
      return true
    }
  }
}
