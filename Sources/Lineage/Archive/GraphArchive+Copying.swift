import ObjectGraph

extension GraphArchive {
  /// The ids that copies get.
  public enum IDs: Hashable, Sendable {
    /// The ids of the originals, for copies in another store. In that store, a reference that has
    /// the id of an original leads to its copy.
    case kept
    /// New ids. With them, one store can have both the originals and the copies.
    case renewed
  }

  /// The result of copying.
  public struct Copies {
    /// The copies of the given objects, in the order of these objects. After copying a whole
    /// context, it contains all copies.
    public let objects: [GraphObject]
    /// One note for each reference that a copy has lost. In such a case, the object referred to was
    /// not copied, and the target context does not have it either.
    public let notes: [Note]
  }

  /// Copies objects, with all objects that they refer to, and inserts the copies into another
  /// context.
  ///
  /// If an original refers to an object that is copied as well, the copy of the original refers to
  /// the copy of that object. Any other reference stays as it is if the target context has the
  /// object, for example because both contexts are of one store. Otherwise the copy refers to
  /// nothing, and a note says so. The target context is not saved.
  ///
  /// - Throws: `GraphError`; nothing is inserted then. The reason is `idTaken`, with the names of
  ///   the objects, if a kept id is already used in the context or its store. Other reasons are
  ///   `unknownEntity`, `deleted` and `otherContext`.
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

  /// Copies all objects of a context, such as an archive's draft, and inserts the copies into
  /// another context.
  ///
  /// - Throws: As for ``copy(_:into:ids:with:)``.
  /// - Complexity: O(objects of the context). All of them are in memory at the same time.
  @discardableResult
  public static func copy(
    everythingIn source: ObjectContext, into context: ObjectContext, ids: IDs = .kept
  ) throws -> Copies {
    let tables = try source.read {
      try source.model.layouts.enumerated().map { entity, layout in
        (layout: layout, objects: try source.allGraphObjects(entity))
      }
    }
    let copy = try GraphCopy(tables, into: context, ids, "copy objects")
    return Copies(objects: tables.flatMap(\.objects).compactMap(copy.copy), notes: copy.notes)
  }
}
