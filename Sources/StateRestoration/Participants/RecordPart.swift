package import ResponderChain

/// A sort of parts that a module above adds to the records of responders, beside their values. An
/// example is the unsaved edits of a branch.
///
/// A part is copied as bytes by saves until ``Restoration/notePartChange(of:)`` is called for its
/// responder, and as long as it waits. A launch applies parts before any value is decoded, parents
/// first, when objects are prefetched and the children of branches are made. A part without its
/// context is applied when that comes, in the first stage of the round.
package protocol RecordPart: AnyObject {
  /// The name in records.
  var name: String { get }
  /// The greatest number of bytes of one part. A larger part is not saved, and the last one is kept.
  var byteLimit: Int { get }

  /// Returns the present part of a responder; nil if it has none.
  func part(of responder: Responder) throws -> ArchivedPart?

  /// Applies an archived part. If this throws, the part is kept until the next change.
  func apply(_ part: ArchivedPart, to responder: Responder) throws

  /// Notes that the state of a responder was erased. What the responder still has is saved again.
  func stateWasErased(of responder: Responder)
}
