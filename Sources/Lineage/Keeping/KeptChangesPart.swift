import Foundation
import ObjectGraph
import ResponderChain
import StateRestoration

/// The unsaved changes of kept branches, as parts of their responders' records. The application's
/// record has those of its root context.
final class KeptChangesPart<Key: ContextKey>: RecordPart where Key.Value == ObjectContext {
  let name: String
  private let readers = KeptReaders()

  init(_ name: String) { self.name = name }

  func part(of responder: Responder) throws -> ArchivedPart? {
    guard keeps(responder) else { return nil }
    guard let context = context(of: responder), let changes = KeptChanges(of: context) else {
      return ArchivedPart(name: name, needs: [], bytes: [])
    }
    return try archived(changes, context)
  }

  private func archived(_ changes: KeptChanges, _ context: ObjectContext) throws -> ArchivedPart {
    ArchivedPart(name: name, needs: [name], bytes: try changes.bytes(in: context.model))
  }

  func read(_ part: ArchivedPart, for responder: Responder) throws -> any ReadPart {
    if part.bytes.isEmpty { return ReadChanges(of: responder, nil) }
    guard let context = context(of: responder) else {
      let note =
        "its changes were not restored, because the code keeps none here (restoring: .edits)."
      return ReadChanges(of: responder, note)
    }
    return ReadChanges(of: responder, try KeptChanges(part.bytes, for: context, readers), context) {
      try self.archived($0, context)
    }
  }

  func prefetch(_ parts: [any ReadPart]) -> Any? {
    ReadChanges.fetch(parts.compactMap { $0 as? ReadChanges })
  }

  func problem(at responder: Responder) -> String? {
    guard keeps(responder) else { return nil }
    return context(of: responder)?.problem(ofKeepingAt: responder)
      ?? ObjectContext.problem(ofKeepingAt: responder)
  }

  func didHandOver(_ responder: Responder) { context(of: responder)?.handOverEdits() }

  func isEqual(_ part: ArchivedPart, _ other: ArchivedPart) -> Bool {
    let size = KeptChanges.headSize
    return part.bytes.dropFirst(size) == other.bytes.dropFirst(size)
  }

  /// Returns whether the changes of a responder's context are kept, even if there is none yet.
  private func keeps(_ responder: Responder) -> Bool {
    responder.hasKeptBranch(Key.self) || root(of: responder) != nil
  }

  /// Returns the context whose changes are kept for a responder; nil if there is none yet.
  private func context(of responder: Responder) -> ObjectContext? {
    responder.keptChild(Key.self) ?? root(of: responder)
  }

  private func root(of responder: Responder) -> ObjectContext? {
    Key.self == ObjectContext.self ? (responder as? Application)?.keptRoot : nil
  }
}

/// The unsaved changes of one context, as they were read from an archive.
private final class ReadChanges: ReadPart {
  private let responder: Responder
  private let found: (changes: KeptChanges, context: ObjectContext)?
  /// The store's receipts; nil if they were not fetched.
  private var receipts: [UUID: Int64]?
  /// The reason why no context takes the changes; nil if there are none.
  private let note: String?
  private let archive: (KeptChanges) throws -> ArchivedPart?

  /// Creates changes that no context takes.
  init(of responder: Responder, _ note: String?) {
    (self.responder, self.note) = (responder, note)
    (found, archive) = (nil, { _ in nil })
  }

  init(
    of responder: Responder, _ changes: KeptChanges, _ context: ObjectContext,
    _ archive: @escaping (KeptChanges) throws -> ArchivedPart?
  ) {
    (self.responder, note) = (responder, nil)
    (found, self.archive) = ((changes, context), archive)
  }

  /// Fetches the receipts and the objects of all changes into the root contexts, and returns the
  /// objects. An error comes again, and is reported, when the changes are applied.
  static func fetch(_ parts: [ReadChanges]) -> [[Int64: GraphObject]] {
    var wanted: [ObjectIdentifier: [ReadChanges]] = [:]
    for part in parts {
      guard let (changes, context) = part.found, !changes.edits.isEmpty else { continue }
      wanted[ObjectIdentifier(context.root), default: []].append(part)
    }
    return wanted.values.flatMap { parts in
      let found = parts.compactMap { $0.found }
      let root = found[0].context.root
      let receipts = try? root.receipts(of: found.map { $0.changes.id })
      for part in parts { part.receipts = receipts }
      var keys: [[Int64]] = Array(repeating: [], count: root.model.layouts.count)
      for edit in found.lazy.flatMap({ $0.changes.edits }) { keys[edit.entity].append(edit.key) }
      return keys.enumerated().compactMap { entity, keys in
        keys.isEmpty ? nil : try? root.graphObjects(keys, of: entity)
      }
    }
  }

  func apply() throws -> PartOutcome {
    guard let (changes, context) = found else {
      if note != nil { responder.noteKeptChanges() }
      return .applied(note.map { [$0] } ?? [], rest: nil)
    }
    guard changes.storeID == context.storeID else {
      return .waiting("its changes wait for the store \(changes.storeID).")
    }
    let outcome = try context.replay(
      changes.edits, of: changes.id, count: changes.count, receipts: receipts)
    // The archived changes are not those that the context has now.
    responder.noteKeptChanges()
    switch outcome {
    case .saved:
      return .applied(
        ["its changes were saved, or dropped above, before the process ended."], rest: nil)
    case .replayed(let leftOut):
      let notes = changes.notes.map { $0 + "." }
      if leftOut.isEmpty { return .applied(notes, rest: nil) }
      let taken = leftOut.map { edit in
        "the new object \(context.model.layouts[edit.entity].name)/\(edit.key) was left out, because "
          + "the id exists already (idTaken)."
      }
      return .applied(notes + taken, rest: try archive(changes.rest(leftOut)))
    }
  }
}
