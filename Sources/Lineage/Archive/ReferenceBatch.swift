/// The references that a decoder has read, waiting to be fetched together.
///
/// It is what a decoder holds under `userInfo[.objectContext]`. Decoding only collects; the first
/// look at a property fetches everything that was collected: what the context has costs nothing, the
/// rest one fetch for each entity and 500 objects.
///
/// ```swift
/// decoder.userInfo[.objectContext] = ReferenceBatch(in: context)
/// ```
///
/// Decoders want Sendable values, and so it is one. But it is used only where the context is used: by
/// a decoder that is confined like the context, as are the values that it makes.
public struct ReferenceBatch: Sendable {
  private let confined: Confined<PendingReferences>

  /// A batch whose objects are the context's.
  public init(in context: ObjectContext) { confined = Confined(PendingReferences(in: context)) }

  /// The references, for code that runs where the context is used.
  var references: PendingReferences { confined.value }
}

/// References of one batch, fetched together.
final class PendingReferences {
  /// The context in which objects are found.
  let context: ObjectContext
  private var waiting: [Waiting] = []

  private struct Waiting {
    weak var member: (any BatchMember)?
  }

  init(in context: ObjectContext) { self.context = context }

  /// Waits with all others; without being kept alive, so that what is never looked at and thrown away
  /// is never fetched.
  func add(_ member: any BatchMember) { waiting.append(Waiting(member: member)) }

  /// Fetches what all members wait for, and tells them.
  func resolve() {
    let members = waiting.compactMap(\.member)
    waiting = []
    var references: Set<ObjectReference> = []
    for member in members { member.visit { references.insert($0) } }
    let outcomes = outcomes(of: references)
    for member in members { member.resolve(outcomes) }
  }

  private func outcomes(of references: Set<ObjectReference>) -> [ObjectReference: Outcome] {
    var outcomes: [ObjectReference: Outcome] = [:]
    let storeID = context.storeID
    var wanted: [Int: [ObjectReference]] = [:]
    for reference in references {
      if reference.storeID.lowercased() != storeID.lowercased() {
        outcomes[reference] = .missing(.wrongStore(expected: storeID))
      } else if let entity = context.model.index(named: reference.entity) {
        wanted[entity, default: []].append(reference)
      } else {
        outcomes[reference] = .missing(.unknownEntity)
      }
    }
    for (entity, references) in wanted {
      outcomes.merge(found(references, entity)) { one, _ in one }
    }
    return outcomes
  }

  private func found(
    _ references: [ObjectReference], _ entity: Int
  ) -> [ObjectReference: Outcome] {
    if let found = try? context.instances(references.map(\.key), of: entity) {
      return outcomes(of: references) { found[$0] }
    }
    // One row that cannot be read must not cost the others.
    return outcomes(of: references) { try context.instances([$0], of: entity)[$0] }
  }

  private func outcomes(
    of references: [ObjectReference], _ find: (Int64) throws -> GraphObject?
  ) -> [ObjectReference: Outcome] {
    Dictionary(
      references.map { reference in
        do {
          return (reference, try find(reference.key).map { .resolved($0) } ?? .missing(.deleted))
        } catch {
          let reason =
            error as? GraphError ?? GraphError("read \(reference)", .inputOutput("\(error)"))
          return (reference, .missing(.unreadable(reason)))
        }
      }, uniquingKeysWith: { one, _ in one })
  }

  /// How the search for one object ended.
  enum Outcome {
    case resolved(GraphObject)
    case missing(MissingObject.Reason)
  }
}

/// One decoded property, waiting for its objects.
protocol BatchMember: AnyObject {
  func visit(_ body: (ObjectReference) -> Void)
  func resolve(_ outcomes: [ObjectReference: PendingReferences.Outcome])
}
