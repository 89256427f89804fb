public import ObjectGraph

/// An archive of objects, with all objects that they refer to, in one file.
///
/// ```swift
/// try GraphArchive.save([card, deck], to: url)
///
/// switch try GraphArchive.open(url, [Card.self, Deck.self]) {
/// case .none: break                                  // the first launch
/// case .graph(let graph): show(graph.roots)          // a draft, with sharing and cycles
/// case .otherFormat(let format): tell("made by another version (format \(format))")
/// case .damaged(let damage): tell("\(damage)")       // what is wrong
/// }
/// ```
///
/// A save replaces the file completely or leaves the old one intact, even after a crash, a full
/// disk or a power cut. Saving the same objects again gives the same bytes. The file ends with a
/// checksum, so damage is always reported and damaged data is never read.
///
/// An archive can be read with a later schema. Properties are found by their names, or by the names
/// that they had `formerly`. New properties get the struct's initial value, and archived properties
/// that the schema lacks are ignored. `Graph.notes` lists both. An archive that another version of
/// Lineage wrote in another format is neither read nor overwritten.
///
/// To copy objects from one store into another, with or without a file between them, use
/// ``copy(_:into:ids:with:)``.
public enum GraphArchive {
  /// The set of objects that an archive or a copy contains, beginning with the given objects.
  public enum Reach: Hashable, Sendable {
    /// The given objects, the objects that their to-one properties refer to, and so on.
    case references
    /// The objects of ``references``, and in addition the objects in the to-many properties of the
    /// given objects, the objects in the to-many properties of those objects, and so on. An object
    /// that was reached by a to-one property adds only the objects of its own to-one properties. So
    /// a deck comes with its cards, but a card comes with its deck and without the deck's other
    /// cards.
    case members
  }

  /// The result of opening a file.
  public enum OpenResult {
    /// There is no file, as at the first launch.
    case none
    /// The objects of the archive.
    case graph(Graph)
    /// Another version of Lineage wrote the file, in the format with this number. The file was not
    /// read.
    case otherFormat(Int)
    /// The file is damaged, or is not an archive.
    case damaged(Damage)
  }

  /// The content of an archive.
  public struct Graph {
    /// A draft, which is a small context without a store. It retains all objects of the archive.
    public let draft: ObjectContext
    /// The objects that were passed to `save(_:to:with:)`, in their order; empty for an archive of
    /// a whole context.
    public let roots: [GraphObject]
    /// The differences between the archive's schema and the program's; empty if there are none.
    public let notes: [Note]
  }

  /// The damage of a file.
  public struct Damage: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem with the file, as the second part of a sentence.
    public let problem: String

    init(_ problem: String) { self.problem = problem }

    /// The problem, as a sentence.
    public var description: String { "the archive is damaged: \(problem)" }
  }

  /// A difference between archived or original objects and the objects that were made from them.
  public enum Note: Hashable, Sendable {
    /// The schema no longer has an entity with this name. `objects` is the number of objects that
    /// were left out.
    case unknownEntity(String, objects: Int)
    /// The schema no longer has this property. Its archived values were ignored.
    case unknownProperty(entity: String, property: String)
    /// The archive does not have this property. In each object, it has its initial value.
    case newProperty(entity: String, property: String)
    /// The property has the name `from` in the archive and the name `to` in the schema.
    case renamedProperty(entity: String, from: String, to: String)
    /// Some archived values do not fit the property's type in the schema. `objects` is the number
    /// of objects in which the property has its initial value instead. `first` describes the first
    /// such value.
    case unfitValues(entity: String, property: String, objects: Int, first: String)
    /// An object, such as `Card/5`, referred to the object `target`, which was not copied and is
    /// not in the target context. The copy refers to nothing.
    case lostReference(object: String, property: String, target: String)
  }
}

extension GraphArchive.Note: CustomStringConvertible {
  /// The difference and its effect as one line of text.
  public var description: String {
    switch self {
    case .unknownEntity(let name, let count):
      "no entity is named \(name), \(count.of("object")) left out"
    case .unknownProperty(let entity, let property): "\(entity) has no \(property), values ignored"
    case .newProperty(let entity, let property): "\(entity).\(property) is new, initial value"
    case .renamedProperty(let entity, let old, let new): "\(entity).\(old) is now \(new)"
    case .unfitValues(let entity, let property, let count, let first):
      "\(entity).\(property) could not be read of \(count.of("object")), initial value; \(first)"
    case .lostReference(let object, let property, let target):
      "\(object).\(property) referred to \(target), which is not here"
    }
  }
}
