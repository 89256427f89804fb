public import ObjectGraph

/// An archive of objects, with all objects that they refer to, in one file.
///
/// ```swift
/// try GraphArchive.save([card, deck], to: url)
///
/// switch try GraphArchive.open(url, [Card.self, Deck.self]) {
/// case .none: break                                  // the first launch
/// case .graph(let graph): show(graph.roots)          // a draft, with sharing and cycles
/// case .newer(let format): tell("made by a newer version (format \(format))")
/// case .damaged(let damage): tell("\(damage)")       // what is wrong, and where
/// }
/// ```
///
/// A save replaces the file completely or leaves the old one intact, even after a crash, a full
/// disk or a power cut. Saving the same objects again gives the same bytes. Each part of the file
/// has a checksum, so damage is always reported and damaged data is never read.
///
/// An archive can be read with a later schema. Properties are found by their names, or by the names
/// that they had `formerly`. New properties get the struct's initial value, and unknown ones are
/// ignored; `Graph.notes` lists both. An archive of a newer format is neither read nor overwritten.
///
/// To copy objects from one store into another, with or without a file between them, use
/// ``copy(_:into:ids:with:)``.
public enum GraphArchive {
  /// The extent of an archive or a copy, beginning with the given objects.
  public enum Reach: Hashable, Sendable {
    /// The given objects, the objects that their to-one properties refer to, and so on.
    case references
    /// Also the objects in the to-many properties of the given objects, and of the objects found
    /// this way, and so on. From an object that only a to-one property refers to, only to-one
    /// properties are followed. A deck comes with its cards. A card comes with its deck, but not
    /// with the deck's other cards.
    case members
  }

  /// The result of opening a file.
  public enum Opening {
    /// There is no file, as at the first launch.
    case none
    /// The objects of the archive.
    case graph(Graph)
    /// The file was written by a newer program and was not read.
    case newer(format: Int)
    /// The file is damaged, or no archive at all.
    case damaged(Damage)
  }

  /// The content of an archive.
  public struct Graph {
    /// A draft, a small context without a store, that retains all objects of the archive.
    public let draft: ObjectContext
    /// The objects that were given to the save, in their order; empty for an archive of a whole
    /// context.
    public let roots: [GraphObject]
    /// The differences between the archive and the present schema; empty if there are none.
    public let notes: [Note]
  }

  /// The place and the kind of damage in a file.
  public struct Damage: Error, Hashable, Sendable, CustomStringConvertible {
    /// The damaged part of the file, such as `preamble` or `section 3 of 9`.
    public let part: String
    /// The start of that part, in bytes from the file's start.
    public let offset: Int
    /// The problem with that part.
    public let problem: String

    init(_ part: String, at offset: Int, _ problem: String) {
      self.part = part
      self.offset = offset
      self.problem = problem
    }

    /// The place and the problem, as a sentence.
    public var description: String { "the archive is damaged: \(part), byte \(offset): \(problem)" }
  }

  /// A part of an archive or a copy that could not be taken over unchanged.
  public enum Note: Hashable, Sendable {
    /// The schema has no entity with this name any more. This number of objects was left out.
    case unknownEntity(String, objects: Int)
    /// The schema has no such property any more. Its values were ignored.
    case unknownProperty(entity: String, property: String)
    /// The archive does not have the property. It got its initial value.
    case newProperty(entity: String, property: String)
    /// The property has another name in the archive.
    case renamedProperty(entity: String, from: String, to: String)
    /// The property's present type cannot hold some values. This number of objects got its initial
    /// value.
    case unfitValues(entity: String, property: String, objects: Int, first: String)
    /// An object, such as `Card/5`, refers to an object that was not copied and that the target
    /// does not have. The copy refers to nothing.
    case lostReference(object: String, property: String, target: String)
  }
}

extension GraphArchive.Note: CustomStringConvertible {
  /// The difference and its effect, as a line of text.
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
