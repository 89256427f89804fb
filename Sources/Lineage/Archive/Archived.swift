/// A property that holds objects and is archived as their URIs.
///
/// It makes objects part of any Codable value, for any coder:
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
/// was saved afterwards. An object in no store's context cannot be archived: encoding throws.
///
/// An object that is missing when the archive is read is nil or left out, and `missing` has the
/// reason. Its reference is written again unless the property was set. So an archive of another
/// account keeps its references until the account is back.
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

  /// The objects that are found.
  ///
  /// - Complexity: The first read of a property of a decoded value fetches the objects of all of
  ///   its properties. Later reads cost nothing.
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

  /// The archived objects that cannot be found, each with its reason; empty after the property was
  /// set.
  public var missing: [MissingObject] {
    switch content {
    case .value: []
    case .decoded(let decoded): decoded.resolved.missing
    }
  }

  /// Returns the references that an archive writes. Until the property is set, these are the ones
  /// that were read.
  func references() throws -> Value.References {
    switch content {
    case .value(let value): try value.references()
    case .decoded(let decoded): decoded.references
    }
  }
}

extension Archived: Equatable where Value: Equatable {
  /// Returns whether both properties hold the same objects.
  public static func == (one: Self, other: Self) -> Bool {
    one.wrappedValue == other.wrappedValue
  }
}

extension Archived: Hashable where Value: Hashable {
  /// Hashes the objects' identities.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

/// The references that were read for one property, and, after its first read, the objects.
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

  func resolve(_ outcomes: [ObjectReference: PendingReferences.Outcome]) {
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
