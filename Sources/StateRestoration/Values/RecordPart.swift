package import ResponderChain

/// A sort of parts that a module above adds to the records of responders, beside their values: the
/// unsaved changes of the branches of one context.
///
/// A part is copied as bytes by saves until ``Responder/noteKeptChanges()`` is called for its
/// responder, and as long as it waits. A launch applies parts before any value is decoded, parents
/// first, when objects are prefetched and the children of branches are made. A part without its
/// context is applied when that comes, in the first stage of the round.
package protocol RecordPart: AnyObject {
  /// The name in records. It is that of the context whose branches have the parts.
  var name: String { get }

  /// Whether a process applies such parts only if it has the lock of the state's folder.
  var needsLock: Bool { get }

  /// Returns the present part of a responder; nil if it has none. A part without bytes says only that
  /// the responder's branch is kept.
  func part(of responder: Responder) throws -> ArchivedPart?

  /// Reads an archived part of a responder, but changes nothing yet.
  func read(_ part: ArchivedPart, for responder: Responder) throws -> any ReadPart

  /// Fetches what several parts need, in few requests. Returns what must be retained until they are
  /// applied.
  func prefetch(_ parts: [any ReadPart]) -> Any?

  /// Returns the reason why the changes of a responder would not come back completely; nil if they
  /// would.
  func problem(at responder: Responder) -> String?

  /// Notes that the application ends, and that its state has the part of a responder.
  func didHandOver(_ responder: Responder)

  /// Returns whether two parts have the same changes.
  func isEqual(_ part: ArchivedPart, _ other: ArchivedPart) -> Bool
}

extension RecordPart {
  /// True, because another process may have applied the same part.
  package var needsLock: Bool { true }
}

/// A part that was read from an archive, and can be applied to its responder.
package protocol ReadPart: AnyObject {
  /// Applies the part. If this throws, the part is kept for the next launch.
  func apply() throws -> PartOutcome
}

/// The result of applying a part.
package enum PartOutcome {
  /// The part was applied, or is not needed any more. The report gets the notes, and the rest is kept
  /// for the next launch.
  case applied(_ notes: [String], rest: ArchivedPart?)
  /// The part waits until the responder finds another context.
  case waiting(_ note: String)
}

/// A part of a record that a module above has added; see ``RecordPart``.
package struct ArchivedPart: Sendable {
  package let name: String
  /// The names of the contexts without which the part cannot be applied.
  package let needs: [String]
  package let bytes: [UInt8]
  var state = PartState.waiting

  /// The state of a part in this launch.
  package enum PartState: Sendable {
    /// The part is not applied yet.
    case waiting
    /// The part could not be applied, and is kept for the next launch.
    case held
    /// The part is kept by the process that has the state's folder. This one writes no state.
    case elsewhere
    /// The part is that of the responder.
    case present
  }

  package init(name: String, needs: [String], bytes: [UInt8]) {
    (self.name, self.needs, self.bytes) = (name, needs, bytes)
  }
}
