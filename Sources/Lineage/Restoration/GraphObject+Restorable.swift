public import ObjectGraph
public import StateRestoration

/// An object is kept as its URI, and read in the context that its responder finds.
///
/// ```swift
/// @Restorable("card") var card: Object<Card>?
/// @Restorable("marked") var marked: [Object<Card>] = []
/// ```
///
/// An object that was deleted, or that is of another store, is nil or left out. `$card.missing` has
/// the reason.
extension GraphObject: ContextualValue {
  /// Writes the object's URI.
  ///
  /// - Throws: an error if the object is in no store's context, or if the responder finds no
  ///   context of that store.
  public final func write(to writer: inout ValueWriter) throws {
    let reference = try ObjectReference(to: self)
    try writer.writeReference("\(reference)") {
      ($0 as? ObjectContext)?.storeID == reference.storeID
    }
  }

  /// Finds the object in the context.
  public static func read(from reader: inout ValueReader) throws -> Self {
    let (text, found) = try reader.readReference()
    guard let context = found as? ObjectContext, let reference = ObjectReference(text) else {
      throw StateError(.refused(text, type: "URI of an object"))
    }
    do throws(MissingObject.Reason) {
      guard let object = try context.object(of: reference) as? Self else { throw .otherEntity }
      return object
    } catch {
      throw reader.missing("\(MissingObject(reference: reference, reason: error))")
    }
  }
}

/// A request is kept with the names of its properties, so it can be read without a context.
extension FetchRequest: RestorableValue {}
