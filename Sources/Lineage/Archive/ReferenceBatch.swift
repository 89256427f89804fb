/// The references that a decoder has read. Their objects are later fetched together.
///
/// A decoder has the batch as its `userInfo[.objectContext]`. Decoding only collects references.
/// The first read of a decoded property fetches all collected objects. Objects that are in the
/// context already cost nothing. The other objects cost one fetch for each 500 objects of an
/// entity.
///
/// ```swift
/// decoder.userInfo[.objectContext] = ReferenceBatch(in: context)
/// ```
///
/// A batch is Sendable, because the values of a decoder's `userInfo` must be. Nevertheless, only
/// code on the isolation of the context may use it.
public struct ReferenceBatch: Sendable {
  private let confined: Confined<PendingReferences>

  /// Creates a batch whose objects are looked up in a context.
  public init(in context: ObjectContext) { confined = Confined(PendingReferences(in: context)) }

  /// The references. Only code on the isolation of the context may use them.
  var references: PendingReferences { confined.value }
}

/// The references of one batch, which are fetched together.
final class PendingReferences {
  /// The context in which objects are looked up.
  let context: ObjectContext
  private var waiting: [WeakMember] = []

  private struct WeakMember {
    weak var member: (any BatchMember)?
  }

  init(in context: ObjectContext) { self.context = context }

  /// Adds a decoded property to the batch without retaining it. So the objects of a value are not
  /// fetched if the value is released before a property is read.
  func add(_ member: any BatchMember) { waiting.append(WeakMember(member: member)) }

  /// Fetches the objects of all properties in the batch, and passes each property its objects.
  func resolve() {
    let members = waiting.compactMap(\.member)
    waiting = []
    var references: Set<ObjectReference> = []
    for member in members { member.visit { references.insert($0) } }
    let outcomes = outcomes(of: references)
    for member in members { member.resolve(outcomes) }
  }

  /// Finds the objects of several references with one request for each 500 objects of an entity.
  /// Returns the result for each reference.
  private func outcomes(of references: Set<ObjectReference>) -> [ObjectReference: LookupOutcome] {
    var outcomes: [ObjectReference: LookupOutcome] = [:]
    var wanted: [Int: [ObjectReference]] = [:]
    for reference in references {
      do throws(MissingObject.Reason) {
        wanted[try context.entity(of: reference), default: []].append(reference)
      } catch {
        outcomes[reference] = .missing(error)
      }
    }
    for (entity, references) in wanted {
      outcomes.merge(found(references, entity)) { one, _ in one }
    }
    return outcomes
  }

  private func found(
    _ references: [ObjectReference], _ entity: Int
  ) -> [ObjectReference: LookupOutcome] {
    if let found = try? context.graphObjects(references.map(\.key), of: entity) {
      return outcomes(of: references) { found[$0] }
    }
    // If one row cannot be read, the request for all fails. Then the objects are looked up one by
    // one.
    return outcomes(of: references) { try context.graphObject($0, entity) }
  }

  private func outcomes(
    of references: [ObjectReference], _ find: (Int64) throws -> GraphObject?
  ) -> [ObjectReference: LookupOutcome] {
    Dictionary(
      references.map { reference in
        do {
          return (reference, try find(reference.key).map { .resolved($0) } ?? .missing(.deleted))
        } catch {
          return (reference, .missing(.unreadable(error, reference)))
        }
      }, uniquingKeysWith: { one, _ in one })
  }

  /// The result of looking up one object.
  enum LookupOutcome {
    case resolved(GraphObject)
    case missing(MissingObject.Reason)
  }
}

extension ObjectContext {
  /// Returns the index of a reference's entity in the context's model.
  ///
  /// - Throws: the reason why the context cannot have the object.
  func entity(of reference: ObjectReference) throws(MissingObject.Reason) -> Int {
    let storeID = storeID
    guard
      reference.storeID == storeID || reference.storeID.lowercased() == storeID.lowercased()
    else { throw .wrongStore(expected: storeID) }
    guard let entity = model.index(named: reference.entity) else { throw .unknownEntity }
    return entity
  }
}

extension MissingObject.Reason {
  /// Returns the reason `unreadable` for an error that was thrown by reading an object's row.
  static func unreadable(
    _ error: any Error, _ reference: ObjectReference
  ) -> MissingObject.Reason {
    .unreadable(
      error as? GraphError ?? GraphError("read \(reference)", .inputOutput("\(error)")))
  }
}

/// A decoded property. Its objects are fetched together with those of the other properties in its
/// batch.
protocol BatchMember: AnyObject {
  func visit(_ body: (ObjectReference) -> Void)
  func resolve(_ outcomes: [ObjectReference: PendingReferences.LookupOutcome])
}
