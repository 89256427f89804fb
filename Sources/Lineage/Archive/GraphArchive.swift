public import ObjectGraph

/// Objects with all they refer to in one file, and back.
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
/// A save replaces the file whole or leaves the old one, whatever happens meanwhile: a crash, a full
/// disk, a power cut. The same objects give the same bytes. Each part of the file has a checksum, so
/// that damage is always told and never read.
///
/// An archive outlives its schema. Properties are known by name, or by the name they had `formerly`;
/// new ones get the struct's initial value, unknown ones are ignored, and `Graph.notes` says which.
/// An archive of a newer format is neither read nor overwritten.
///
/// To take objects from one store into another, without or with a file between, use
/// ``copy(_:into:ids:with:)``.
public enum GraphArchive {
  /// How far from the given objects an archive or a copy goes.
  public enum Reach: Hashable, Sendable {
    /// What their to-one properties refer to, and so on.
    case references
    /// Also their to-many properties, and those of what is found by these, and so on; of what only a
    /// to-one property refers to, nothing more. A deck comes with its cards, a card with its deck,
    /// but not with the deck's other cards.
    case members
  }

  /// What a file turned out to be.
  public enum Opening {
    /// There is no file: the first launch.
    case none
    /// What was archived.
    case graph(Graph)
    /// A newer program has written it; it was left alone.
    case newer(format: Int)
    /// It is not what was written, or no archive at all.
    case damaged(Damage)
  }

  /// What was archived.
  public struct Graph {
    /// A context without a store that has all objects of the archive, and keeps them.
    public let draft: ObjectContext
    /// The objects that were given to be saved, in that order; none if it was a whole context.
    public let roots: [GraphObject]
    /// How the archive differs from the schema of today; empty if it does not.
    public let notes: [Note]
  }

  /// What is wrong with a file, and where.
  public struct Damage: Error, Hashable, Sendable, CustomStringConvertible {
    /// The part of the file: `preamble`, `section 3 of 9`.
    public let part: String
    /// Where that part begins, in bytes from the file's start.
    public let offset: Int
    /// What is wrong with it.
    public let problem: String

    init(_ part: String, at offset: Int, _ problem: String) {
      self.part = part
      self.offset = offset
      self.problem = problem
    }

    /// Where it is damaged, and what is wrong.
    public var description: String { "the archive is damaged: \(part), byte \(offset): \(problem)" }
  }

  /// Something of an archive or a copy that could not be taken over as it is.
  public enum Note: Hashable, Sendable {
    /// No entity has the name any more; so many objects were left out.
    case unknownEntity(String, objects: Int)
    /// The schema has no such property any more; its values were ignored.
    case unknownProperty(entity: String, property: String)
    /// The archive does not have the property; it got its initial value.
    case newProperty(entity: String, property: String)
    /// The property had another name.
    case renamedProperty(entity: String, from: String, to: String)
    /// Values that the property's type of today cannot have; those objects got its initial value.
    case unfitValues(entity: String, property: String, objects: Int, first: String)
    /// An object, as `Card/5`, refers to one that is neither copied nor where the copy went; the
    /// copy refers to nothing.
    case lostReference(object: String, property: String, target: String)
  }
}

extension GraphArchive.Note: CustomStringConvertible {
  /// What is different, and what was done.
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
