/// An operation that failed: the attempt, its object and the reason.
public struct GraphError: Error, Sendable, CustomStringConvertible {
  /// The attempt, as the end of "could not …".
  public let attempted: String
  /// Why it could not be done.
  public let reason: Reason
  /// The name of the context that attempted it, if it has one.
  public internal(set) var context: String?

  package init(_ attempted: String, _ reason: Reason) {
    self.attempted = attempted
    self.reason = reason
  }

  /// Whether it says that a row cannot be read, however often one tries.
  package var isAboutOneRow: Bool { if case .unreadable = reason { true } else { false } }

  /// Whether it says that what was to be stored may be stored.
  package var leavesOutcomeUnknown: Bool {
    if case .unknownOutcome = reason { true } else { false }
  }

  /// The attempt and the reason, as a sentence.
  public var description: String {
    let place = context.map { " in \($0.quoted)" } ?? ""
    return "could not \(attempted)\(place): \(reason)"
  }

  /// Why something could not be done.
  public enum Reason: Sendable {
    /// The schema's mistakes, all of them.
    case schema([SchemaMistake])
    /// The store has no such entity.
    case unknownEntity(String)
    /// A request names or compares what the schema does not allow.
    case request(entity: String, property: String, String)
    /// A request has more of something than any store answers.
    case tooLarge(String)
    /// Another object has this id.
    case idTaken(String)
    /// The objects live in different contexts.
    case otherContext
    /// The object belongs to no store's context.
    case disconnected(String)
    /// The object was deleted.
    case deleted(String)
    /// There is no such object.
    case notFound(String)
    /// The URI is not one of an object.
    case notAURI(String)
    /// The URI is of another store.
    case wrongStore(expected: String, found: String)
    /// Objects whose values must not be saved, with all that is wrong with them.
    case invalid([InvalidObject])
    /// Another context or process changed the same properties, and the policy is to say so.
    case conflict([ConflictReport])
    /// Other contexts or processes changed these objects again and again while the save was under
    /// way, each time after the policy had decided.
    case overtaken([ConflictReport])
    /// A delete rule forbids it.
    case denied(entity: String, property: String, count: Int)
    /// Another row has these values already.
    case notUnique(entity: String, properties: [String], object: String?)
    /// A property refers to an object that is not in the store.
    case dangling(object: String, property: String, target: String)
    /// A row holds what its property cannot.
    case unreadable(object: String, String)
    /// The URL is not one of a file.
    case notAFile
    /// Another writer held the store for too long.
    case timeout(seconds: Double)
    /// The disk or the store's size limit is full.
    case full
    /// The operating system failed to read or write.
    case inputOutput(String)
    /// The new file is in place, but its folder could not be written to the disk: after a power cut
    /// the old file may be there again.
    case unsynced(String)
    /// A newer program's archive is there, which is kept.
    case newerArchive(format: Int)
    /// The file contradicts itself.
    case damaged(String)
    /// Another process has given the store another schema: it must be opened again.
    case migrated(version: Int)
    /// The store is read-only.
    case readOnly
    /// The task, or the background work, that read was cancelled.
    case cancelled
    /// A read took more steps than the store's options allow.
    case tooLong(steps: Int)
    /// The store was closed.
    case closed
    /// The context has ended.
    case ended
    /// The connection to the store broke during the commit, so that nobody knows whether the changes
    /// are stored.
    ///
    /// They stay unsaved changes. The next merge, or the next save, reads the rows: what was stored is
    /// no change any more, and the rest still is.
    case unknownOutcome(String)
    /// A policy decided on a value of another type.
    case otherType(expected: String, found: String)
    /// A figure is more than its type holds.
    case figure(String)
    /// Code that is called on the way threw an error of its own.
    case other(String)
    /// Anything else a store says, with its engine's code.
    case store(code: String, String)
  }
}

extension String {
  /// The text in quotes, on one line whatever it holds.
  var quoted: String {
    "\"\(split(whereSeparator: \.isNewline).joined(separator: " "))\""
  }
}

extension BinaryInteger {
  /// The number with what is counted: "1 object", "2 objects".
  package func of(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}

/// An object that must not be saved.
public struct InvalidObject: Hashable, Sendable, CustomStringConvertible {
  /// The object as `Entity/id`.
  public let object: String
  /// All that is wrong with it.
  public let problems: [Problem]

  package init(object: String, problems: [Problem]) {
    self.object = object
    self.problems = problems
  }

  /// The object and all that is wrong with it.
  public var description: String {
    "\(object): \(problems.map(\.description).joined(separator: ", "))"
  }
}

/// An object that somebody else changed too.
public struct ConflictReport: Hashable, Sendable, CustomStringConvertible {
  /// The object as `Entity/id`.
  public let object: String
  /// The properties both changed; empty if the other deleted it.
  public let properties: [String]

  package init(object: String, properties: [String]) {
    self.object = object
    self.properties = properties
  }

  /// The object and the properties, or that it was deleted.
  public var description: String {
    properties.isEmpty
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
    case .tooLarge(let message): message
    case .idTaken(let object): "another object already is \(object)"
    case .otherContext: "the objects live in different contexts"
    case .disconnected(let object): "\(object) is in no store's context; insert it first"
    case .deleted(let object): "\(object) was deleted"
    case .notFound(let object): "there is no \(object)"
    case .notAURI(let text): "\(text) is not of the form lineage://store/Entity/id"
    case .wrongStore(let expected, let found): "it is of store \(found), this is store \(expected)"
    case .invalid(let objects):
      objects.map(\.description).joined(separator: "; ")
    case .conflict(let reports): Self.overlap(reports, verb: "changed")
    case .overtaken(let reports): Self.overlap(reports, verb: "kept changing")
    case .denied(let entity, let property, let count):
      "\(entity).\(property) forbids it while it has objects (it has \(count))"
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
    case .newerArchive(let format):
      "a newer program's archive is there, which is kept (format \(format))"
    case .damaged(let message): "the file is damaged (\(message))"
    case .migrated(let version):
      "another process has migrated the store to version \(version); open it again"
    case .readOnly: "the store is read-only"
    case .cancelled: "its task was cancelled"
    case .tooLong(let steps): "it takes more than \(steps) steps"
    case .closed: "the store is closed"
    case .ended: "its context has ended"
    case .unknownOutcome(let message):
      "the connection broke during the commit, so that nobody knows whether it is stored (\(message))"
    case .otherType(let expected, let found): "a \(found) is no \(expected)"
    case .figure(let message), .other(let message): message
    case .store(let code, let message): "\(message) (\(code))"
    }
  }

  /// Returns the changes and deletions of others, as a sentence.
  private static func overlap(_ reports: [ConflictReport], verb: String) -> String {
    let changed = reports.filter { !$0.properties.isEmpty }.map(\.description)
    let deleted = reports.filter(\.properties.isEmpty).map(\.object)
    let parts = [(verb, changed), ("deleted", deleted)].filter { !$1.isEmpty }
    return "somebody else "
      + parts.map { "\($0) \($1.joined(separator: ", "))" }.joined(separator: " and ")
  }
}
