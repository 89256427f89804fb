import ResponderChain

/// The responder to which archived paths lead, however the tree changes after the archive was read
/// or written.
final class PathTarget {
  /// The responder; nil as long as it is not restored, and after it was deallocated.
  weak var responder: Responder?
  /// The record of the responder in the archive that was read; nil if this process has written the
  /// paths. A record that is kept for a later launch is found by it, and by the target above.
  private(set) weak var record: AnyObject?
  let parent: PathTarget?

  init(_ responder: Responder) { (self.responder, parent) = (responder, nil) }

  init(_ record: AnyObject, below parent: PathTarget?) {
    (self.record, self.parent) = (record, parent)
  }
}

/// The targets of the paths in one record, stored under the bytes of the paths. A path without a
/// target leads to nothing.
typealias PathTargets = [[UInt8]: PathTarget]
