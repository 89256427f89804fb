import ObjectGraph

extension GraphArchive {
  /// The ids that copies get.
  public enum IDs: Hashable, Sendable {
    /// The originals' ids, for another store. References from elsewhere then also mean the copies.
    case kept
    /// New ids, so that even one store can have both the originals and the copies.
    case renewed
  }

  /// The result of copying.
  public struct Copies {
    /// The copies of the given objects, in their order. For a copy of a whole context, these are
    /// all copies.
    public let objects: [GraphObject]
    /// One note for each reference that a copy lost. The object to which it led was not copied and
    /// is not in the other context, so the copy refers to nothing.
    public let notes: [Note]
  }

  /// Inserts copies of objects, with all objects that they refer to, into another context.
  ///
  /// A reference to a copied object becomes a reference to its copy. Any other reference stays if
  /// the context has the object, as it does if both contexts are of one store. Otherwise the copy
  /// refers to nothing, and a note says so. Nothing is saved.
  ///
  /// - Throws: `GraphError`, with nothing inserted: `idTaken` with the objects' names if ids are
  ///   kept that the context or its store already has; `unknownEntity`; `deleted`; `otherContext`.
  /// - Complexity: O(copied objects), with one fetch for each step away from the given objects,
  ///   each entity and each 500 objects.
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

  /// Inserts copies of all objects of a context, such as an archive's draft, into another context.
  ///
  /// - Throws: As ``copy(_:into:ids:with:)``.
  /// - Complexity: O(objects of the context), which are in memory together.
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
