/// The error of a failed operation. It says what was attempted on which object, and why the
/// operation failed.
public struct GraphError: Error, Sendable, CustomStringConvertible {
  /// The attempt, as the end of a sentence that begins with "could not".
  public let attempted: String
  /// The reason why the operation failed.
  public let reason: Reason
  /// The name of the context in which the operation failed; nil if the context has no name.
  public internal(set) var context: String?

  package init(_ attempted: String, _ reason: Reason) {
    self.attempted = attempted
    self.reason = reason
  }

  /// Whether the error concerns a single row that cannot be read. Trying again does not help.
  package var isAboutOneRow: Bool { if case .unreadable = reason { true } else { false } }

  /// Whether the outcome is unknown: the store may or may not have saved the changes.
  package var leavesOutcomeUnknown: Bool {
    if case .unknownOutcome = reason { true } else { false }
  }

  /// The attempt and the reason, as a sentence.
  public var description: String {
    let place = context.map { " in \($0.quoted)" } ?? ""
    return "could not \(attempted)\(place): \(reason)"
  }

  /// The reason why an operation failed.
  public enum Reason: Sendable {
    /// The schema has mistakes. All of them are listed.
    case schema([SchemaMistake])
    /// The store has no such entity.
    case unknownEntity(String)
    /// A request names a property that the schema does not have, or makes a comparison that the
    /// schema does not allow.
    case request(entity: String, property: String, String)
    /// A statement in SQL cannot run, or its rows are not of the requested form.
    case statement(String)
    /// A statement in SQL reads these entities, of which the context shows other rows than the store:
    /// it or a context above has unsaved changes, or has objects that others have changed since the
    /// last merge. After a save and a merge, the statement can run.
    case unsaved(entities: [String])
    /// A request exceeds a limit that all stores have.
    case tooLarge(String)
    /// Another object already has this id, and is never overwritten.
    case idTaken(String)
    /// The objects belong to different contexts.
    case otherContext
    /// The object belongs to no context of a store.
    case disconnected(String)
    /// The object was deleted.
    case deleted(String)
    /// There is no such object.
    case notFound(String)
    /// The text is not the URI of an object.
    case notAURI(String)
    /// The URI belongs to another store.
    case wrongStore(expected: String, found: String)
    /// The values of some objects must not be saved. All objects and all their problems are listed.
    case invalid([InvalidObject])
    /// The save is in conflict with changes or deletions by another context or process, and the
    /// conflict policy is `.error`.
    case conflict([ConflictReport])
    /// Other contexts or processes changed these objects again and again during the save, each time
    /// after the policy had decided.
    case overtaken([ConflictReport])
    /// A delete rule forbids the deletion.
    case denied(entity: String, property: String, count: Int)
    /// Another row already has the same values in unique properties.
    case notUnique(entity: String, properties: [String], object: String?)
    /// A property refers to an object that is not in the store.
    case dangling(object: String, property: String, target: String)
    /// A row holds a value that its property cannot hold.
    case unreadable(object: String, String)
    /// The URL does not lead to a file.
    case notAFile
    /// Another writer kept the store locked for longer than the timeout.
    case timeout(seconds: Double)
    /// The disk is full, or the store has reached its size limit.
    case full
    /// The operating system failed to read or write.
    case inputOutput(String)
    /// The new file has replaced the old one, but the system failed to force the change of the
    /// folder onto the disk. After a power cut, the old file may be back.
    case unsynced(String)
    /// The file is an archive in another format, by another version of Lineage. The file is left as
    /// it is.
    case otherArchive(format: Int)
    /// The content of the file contradicts itself.
    case damaged(String)
    /// Another process has migrated the store to another schema. The store must be opened again.
    case migrated(version: Int)
    /// The store is read-only.
    case readOnly
    /// The task or the background work that was reading was cancelled.
    case cancelled
    /// A read took more steps than the store's options allow.
    case tooLong(steps: Int)
    /// A server took too long to answer, or all connections to it were in use.
    case tooSlow(String)
    /// The store was closed.
    case closed
    /// The context has ended.
    case ended
    /// The context is being saved together with others. Meanwhile, the closure of a policy and a
    /// validation may not save, merge, discard or undo in it.
    case saving
    /// The code that is running must not change objects: the closure of a ``LiveValue``, or the
    /// closure of an `upsert`, which may only change the value that it gets.
    case mustOnlyRead(String)
    /// The connection to the store broke during the commit, so it is unknown whether the changes
    /// are stored.
    ///
    /// The changes stay unsaved for now. The next merge or save reads their rows. Changes that turn
    /// out to be stored then count as saved, and all other changes stay unsaved.
    case unknownOutcome(String)
    /// The `.resolve` closure returned a value of another type than the object's.
    case otherType(expected: String, found: String)
    /// A sum or another figure exceeds the range of its type.
    case figure(String)
    /// Another reason, such as an error of other code that was called during the operation.
    case other(String)
    /// Any other error of a store, with the code that its engine reports.
    case store(code: String, String)
  }
}

extension String {
  /// The text in quotes, on one line. Line breaks become spaces.
  var quoted: String {
    "\"\(split(whereSeparator: \.isNewline).joined(separator: " "))\""
  }
}

extension BinaryInteger {
  /// Returns the number with the given noun, such as "1 object" or "2 objects".
  package func of(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}

extension [String] {
  /// Returns the first names and the number of the others, such as "Card/1, Card/2 and 3 more".
  package func list(first count: Int) -> String {
    let list = prefix(count).joined(separator: ", ")
    return self.count > count ? "\(list) and \(self.count - count) more" : list
  }
}

/// An object that must not be saved.
public struct InvalidObject: Hashable, Sendable, CustomStringConvertible {
  /// The object's name, as `Entity/id`.
  public let object: String
  /// All reasons why the object must not be saved.
  public let problems: [Problem]

  package init(object: String, problems: [Problem]) {
    self.object = object
    self.problems = problems
  }

  /// The object and all its problems.
  public var description: String {
    "\(object): \(problems.map(\.description).joined(separator: ", "))"
  }
}

/// The report of a conflict: an object that was changed both in the context that saves and by
/// another context or process.
public struct ConflictReport: Hashable, Sendable, CustomStringConvertible {
  /// The object's name, as `Entity/id`.
  public let object: String
  /// The properties that both sides changed; empty if one side deleted the object.
  public let properties: [String]
  /// Whether the context that saves has deleted the object, which the other side has changed.
  public let isDeletedHere: Bool

  package init(object: String, properties: [String], isDeletedHere: Bool = false) {
    self.object = object
    self.properties = properties
    self.isDeletedHere = isDeletedHere
  }

  /// The object and its properties in conflict. If one side has deleted the object, the text says
  /// which.
  public var description: String {
    if isDeletedHere { return "\(object) was deleted here and changed elsewhere" }
    return properties.isEmpty
      ? "\(object) was deleted" : "\(object) (\(properties.joined(separator: ", ")))"
  }
}

extension GraphError.Reason: CustomStringConvertible {
  /// The reason as the end of a sentence.
  public var description: String {
    switch self {
    case .schema(let mistakes):
      "the schema has \(mistakes.count == 1 ? "a mistake" : "\(mistakes.count) mistakes"): "
        + mistakes.map(\.description).joined(separator: "; ")
    case .unknownEntity(let name): "the store has no entity \(name)"
    case .request(let entity, let property, let message): "\(entity).\(property): \(message)"
    case .statement(let message): message
    case .unsaved(let entities):
      "it reads \(entities.joined(separator: ", ")), of which changes are not saved or not merged yet"
    case .tooLarge(let message): message
    case .idTaken(let object): "the id of \(object) is taken by another object"
    case .otherContext: "the objects live in different contexts"
    case .disconnected(let object): "\(object) is in no store's context; insert it first"
    case .deleted(let object): "\(object) was deleted"
    case .notFound(let object): "there is no \(object)"
    case .notAURI(let text): "\(text) is not of the form lineage://store/Entity/id"
    case .wrongStore(let expected, let found):
      "it belongs to store \(found), but this is store \(expected)"
    case .invalid(let objects):
      objects.map(\.description).joined(separator: "; ")
    case .conflict(let reports): Self.overlap(reports, verb: "changed")
    case .overtaken(let reports): Self.overlap(reports, verb: "kept changing")
    case .denied(let entity, let property, let count):
      "\(entity).\(property) denies the deletion, because it has \(count.of("object"))"
    case .notUnique(let entity, let properties, let object):
      "another \(entity) has the same \(properties.joined(separator: ", "))"
        + (object.map { " as \($0)" } ?? "")
    case .dangling(let object, let property, let target):
      "\(object).\(property) refers to \(target), which is not in the store"
    case .unreadable(let object, let message): "\(object): \(message)"
    case .notAFile: "the URL names no file"
    case .timeout(let timeout): "another writer held the store for more than \(timeout) s"
    case .full: "the disk is full"
    case .inputOutput(let message): "reading or writing failed (\(message))"
    case .unsynced(let message):
      "the new file is in place, but a power cut may bring back the old one, because writing its"
        + " folder to the disk failed (\(message))"
    case .otherArchive(let format):
      "the file is an archive of another version of Lineage, and is not replaced (format \(format))"
    case .damaged(let message): "the file is damaged (\(message))"
    case .migrated(let version):
      "another process has migrated the store to version \(version); open it again"
    case .readOnly: "the store is read-only"
    case .cancelled: "its task was cancelled"
    case .tooLong(let steps): "it takes more than \(steps) steps"
    case .tooSlow(let message): message
    case .closed: "the store is closed"
    case .ended: "its context has ended"
    case .saving: "its context is being saved, and a policy or a validation must not change that"
    case .mustOnlyRead(let reader): "\(reader) must only read"
    case .unknownOutcome(let message):
      "the connection broke during the commit, so nobody knows whether it is stored (\(message))"
    case .otherType(let expected, let found):
      "the policy returned a \(found) instead of a \(expected)"
    case .figure(let message), .other(let message): message
    case .store(let code, let message): "\(message) (\(code))"
    }
  }

  /// Returns a sentence about changes and deletions by other contexts or processes.
  private static func overlap(_ reports: [ConflictReport], verb: String) -> String {
    let changed = reports.filter { !$0.properties.isEmpty }.map(\.description)
    let whole = reports.filter(\.properties.isEmpty)
    let deleted = whole.filter { !$0.isDeletedHere }.map(\.object)
    let doomed = whole.filter(\.isDeletedHere).map { "\($0.object), which is deleted here" }
    let parts = [(verb, changed), ("deleted", deleted), (verb, doomed)].filter { !$1.isEmpty }
    return "somebody else "
      + parts.map { "\($0) \($1.joined(separator: ", "))" }.joined(separator: " and ")
  }
}
