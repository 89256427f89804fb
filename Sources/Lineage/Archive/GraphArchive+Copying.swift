import ObjectGraph

extension GraphArchive {
  /// What ids copies get.
  public enum IDs: Hashable, Sendable {
    /// Their originals': for another store, so that references from elsewhere go on meaning them.
    case kept
    /// New ones: to have objects twice, in the same store too.
    case renewed
  }

  /// What was copied.
  public struct Copies {
    /// The copies of the objects given, in that order; of a whole context, all copies.
    public let objects: [GraphObject]
    /// References that lead nowhere any more.
    public let notes: [Note]
  }

  /// Inserts copies of objects, with all they refer to, into another context.
  ///
  /// References among the copied lead to copies. A reference to something else stays if the context
  /// has that object, as it has when both are of one store; otherwise the copy refers to nothing, and
  /// a note says so. Nothing is saved.
  ///
  /// - Throws: `GraphError`, nothing inserted: `idTaken`, naming the objects, if ids are kept that the
  ///   context or its store already has; `unknownEntity`; `deleted`, `otherContext`.
  @discardableResult
  public static func copy(
    _ objects: [GraphObject], into context: ObjectContext, ids: IDs = .kept,
    with reach: Reach = .members
  ) throws -> Copies {
    let attempted = "copy objects"
    let tables = try Gathering(objects, with: reach, to: attempted).tables
    let copy = try GraphCopy(tables, into: context, ids, attempted)
    return Copies(objects: objects.compactMap(copy.copy), notes: copy.notes)
  }

  /// Inserts copies of everything in a context, as of an archive's draft, into another context.
  ///
  /// - Throws: As ``copy(_:into:ids:with:)``.
  @discardableResult
  public static func copy(
    everythingIn source: ObjectContext, into context: ObjectContext, ids: IDs = .kept
  ) throws -> Copies {
    let tables = try source.read {
      try source.model.layouts.enumerated().map { entity, layout in
        (layout: layout, objects: try source.allInstances(entity))
      }
    }
    let copy = try GraphCopy(tables, into: context, ids, "copy objects")
    return Copies(objects: tables.flatMap(\.objects).compactMap(copy.copy), notes: copy.notes)
  }
}
