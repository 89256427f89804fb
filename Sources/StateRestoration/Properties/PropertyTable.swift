public import ResponderChain
import Synchronization

/// The restorable properties of each class, as far as any instance has used them.
///
/// A property wrapper does not know in which class it is. So a class learns of a property when the
/// property is first read or set. One that was never used has its initial value in all instances,
/// and needs no record.
@usableFromInline
enum PropertyTable {
  private static let classes = Mutex<[ObjectIdentifier: ClassProperties]>([:])

  /// Returns the properties of a class.
  static func properties(of type: Responder.Type) -> ClassProperties {
    classes.withLock { classes in
      if let known = classes[ObjectIdentifier(type)] { return known }
      let made = ClassProperties()
      classes[ObjectIdentifier(type)] = made
      return made
    }
  }

  /// Adds a property to those of the owner's class.
  @usableFromInline
  static func learn<Owner: Responder, Value: StateValue>(
    _ key: PropertyKey, of owner: Owner,
    _ storage: ReferenceWritableKeyPath<Owner, Restorable<Value>>
  ) {
    properties(of: type(of: owner)).learn(key, storage)
  }
}

/// The restorable properties of one class that are known.
final class ClassProperties: Sendable {
  private let state = Mutex<[RestorableProperty]>([])
  private let count = Atomic<Int>(0)

  /// The properties, in the order of their keys.
  var all: [RestorableProperty] { state.withLock { $0 } }

  /// The number of properties, which only grows.
  var known: Int { count.load(ordering: .acquiring) }

  fileprivate func learn<Owner: Responder, Value: StateValue>(
    _ key: PropertyKey, _ storage: ReferenceWritableKeyPath<Owner, Restorable<Value>>
  ) {
    state.withLock { properties in
      if let known = properties.first(where: { $0.key === key && $0.owner == Owner.self }) {
        return known.check(storage)
      }
      let name = key.name
      if let other = properties.first(where: { $0.name == name }) {
        if other.owner == Owner.self { return other.check(storage) }
        other.setDuplicate("\(other.owner) and \(Owner.self) both declare this key.")
        return
      }
      let property = TypedProperty(key, name, storage)
      let index = properties.firstIndex { $0.name > name } ?? properties.endIndex
      properties.insert(property, at: index)
      count.store(properties.count, ordering: .releasing)
    }
  }
}

/// One restorable property of a class.
class RestorableProperty: @unchecked Sendable {
  // A property has no state but a sentence, which a mutex protects, and what it needs to find
  // duplicates, which the mutex of its class protects. The key path is that of a stored property,
  // so it captures nothing. It is used on the isolation of its tree.

  let key: PropertyKey
  let name: String
  /// The class that declares the property.
  let owner: Responder.Type
  private let duplicateName = Mutex<String?>(nil)

  init(_ key: PropertyKey, _ name: String, _ owner: Responder.Type) {
    self.key = key
    self.name = name
    self.owner = owner
  }

  /// A sentence about another property with the same key; nil if there is none.
  var duplicate: String? { duplicateName.withLock { $0 } }

  func setDuplicate(_ text: String) { duplicateName.withLock { $0 = text } }

  /// Notes a duplicate if a key path is that of another property.
  func check(_ storage: AnyKeyPath) {}

  /// Writes the property of a responder, or the bytes that it has not read.
  func write(_ responder: Responder, _ old: RecordValues?, to encoder: StateEncoder) throws {}

  /// Lets the next use of the property read the archive again.
  func forget(in responder: Responder) {}
}

extension [RestorableProperty] {
  /// Returns whether there is a property with a name. The properties are sorted by their names.
  func hasProperty(_ name: String) -> Bool {
    var range = indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if self[middle].name == name { return true }
      range = self[middle].name < name ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return false
  }
}

private final class TypedProperty<Owner: Responder, Value: StateValue>: RestorableProperty,
  @unchecked Sendable
{
  private let storage: ReferenceWritableKeyPath<Owner, Restorable<Value>>
  /// Another object that is an equal key path. Reading and setting a property use two objects, and
  /// comparing them takes longer than finding them to be the same.
  private var equal: AnyKeyPath?

  init(
    _ key: PropertyKey, _ name: String,
    _ storage: ReferenceWritableKeyPath<Owner, Restorable<Value>>
  ) {
    self.storage = storage
    super.init(key, name, Owner.self)
  }

  override func check(_ other: AnyKeyPath) {
    if other === storage || other === equal { return }
    if other == storage {
      equal = other
    } else {
      setDuplicate("\(Owner.self) declares this key twice.")
    }
  }

  override func forget(in responder: Responder) {
    if let owner = responder as? Owner { owner[keyPath: storage].phase = .known }
  }

  override func write(
    _ responder: Responder, _ old: RecordValues?, to encoder: StateEncoder
  ) throws {
    guard let owner = responder as? Owner else { return }
    let property = owner[keyPath: storage]
    if property.phase != .settled, owner.mark?.isDecoded == true, var old,
      let entry = try key.find(in: &old)
    {
      return encoder.record.copy(entry, of: old)
    }
    try encoder.record.write(name) { try property.value.write(to: &$0) }
  }
}
