/// A property that holds objects and is archived as their URIs.
///
/// With it, a Codable value can have objects as its properties. Any encoder and decoder can be
/// used:
///
/// ```swift
/// struct Screen: Codable {
///   @Archived var card: Object<Card>? = nil
///   @Archived var selection: Set<Object<Card>> = []
///   @Archived var columns: [String: [Object<Deck>]] = [:]
///   var due: FetchRequest<Card>
/// }
///
/// let data = try JSONEncoder().encode(screen)
///
/// let decoder = JSONDecoder()
/// decoder.objectContext = context
/// let screen = try decoder.decode(Screen.self, from: data)
/// screen.card?.question       // fetched with all the others of the screen, in one go
/// screen.$card.missing        // [], or the reason why card is nil
/// ```
///
/// Ids never change, so a new object can be archived before it is saved. It is found again if it
/// was saved later. Encoding throws if an object is not in a store's context.
///
/// If an object is missing when the archive is read, the property is nil or lacks the object, and
/// `missing` has the reason. Until the property is set, the reference is kept and archived again.
/// So a reference to an object of another account is not lost while that account is logged out.
@propertyWrapper
public struct Archived<Value: Archivable> {
  private var content: Content

  private enum Content {
    case value(Value)
    case decoded(DecodedObjects<Value>)
  }

  /// Creates a property with a value.
  public init(wrappedValue: Value) { content = .value(wrappedValue) }

  init(_ decoded: DecodedObjects<Value>) { content = .decoded(decoded) }

  /// The value with all objects that are found.
  ///
  /// - Complexity: In a decoded value, the first read of any property fetches the objects of all
  ///   properties. Later reads cost nothing.
  public var wrappedValue: Value {
    get {
      switch content {
      case .value(let value): value
      case .decoded(let decoded): decoded.resolved.value
      }
    }
    set { content = .value(newValue) }
  }

  /// The property itself, as in `$card.missing`.
  public var projectedValue: Self { self }

  /// The archived objects that cannot be found, each with the reason. The array is empty after the
  /// property was set.
  ///
  /// - Complexity: In a decoded value, the first read of any property fetches the objects of all
  ///   properties. Later reads are O(1).
  public var missing: [MissingObject] {
    switch content {
    case .value: []
    case .decoded(let decoded): decoded.resolved.missing
    }
  }

  /// Returns the references to archive. In a decoded property that was not set since, they are the
  /// references that were read.
  func references() throws -> Value.References {
    switch content {
    case .value(let value): try value.references()
    case .decoded(let decoded): decoded.references
    }
  }
}

extension Archived: Equatable where Value: Equatable {
  /// Returns whether both properties have equal values.
  ///
  /// - Complexity: That of comparing the values. In a decoded value, the first read of any property
  ///   fetches the objects of all properties.
  public static func == (one: Self, other: Self) -> Bool {
    one.wrappedValue == other.wrappedValue
  }
}

extension Archived: Hashable where Value: Hashable {
  /// Hashes the value.
  ///
  /// - Complexity: That of hashing the value. In a decoded value, the first read of any property
  ///   fetches the objects of all properties.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

/// The content of a decoded property: the references and, after the first read, the objects.
final class DecodedObjects<Value: Archivable>: BatchMember {
  let references: Value.References
  private var state: DecodingState

  private enum DecodingState {
    case waiting(PendingReferences)
    case resolved(Resolved)
  }

  struct Resolved {
    var value: Value
    var missing: [MissingObject] = []
  }

  init(_ references: Value.References, in batch: PendingReferences) {
    self.references = references
    state = .waiting(batch)
    batch.add(self)
  }

  var resolved: Resolved {
    if case .waiting(let batch) = state { batch.resolve() }
    if case .resolved(let resolved) = state { return resolved }
    return Resolved(value: .nothing)
  }

  func visit(_ body: (ObjectReference) -> Void) { Value.visit(references, body) }

  func resolve(_ outcomes: [ObjectReference: PendingReferences.LookupOutcome]) {
    var missing: [MissingObject] = []
    let value = Value.restore(references) { reference, type in
      switch outcomes[reference] {
      case .resolved(let object) where type.isType(of: object): return object
      case .resolved: missing.append(MissingObject(reference: reference, reason: .otherEntity))
      case .missing(let reason): missing.append(MissingObject(reference: reference, reason: reason))
      case nil: break
      }
      return nil
    }
    state = .resolved(Resolved(value: value ?? .nothing, missing: missing))
  }
}

extension GraphObject {
  fileprivate static func isType(of object: GraphObject) -> Bool {
    self == GraphObject.self || type(of: object) == self
  }
}
