import ResponderChain

/// The hashes of the paths of responders in a tree. The hash of each responder is computed from
/// that of its parent.
final class PathHashes {
  private var known: [ObjectIdentifier: UInt64] = [:]

  /// Returns the hash of the path of a responder; zero if the responder is not in an application's
  /// tree.
  ///
  /// - Complexity: O(*depth*), or less if the hash of an ancestor is known.
  func hash(of responder: Responder) -> UInt64 {
    var walked: [Responder] = []
    var next: Responder? = responder
    var path: UInt64?
    while let node = next, path == nil {
      if node is Application {
        path = PathHash.root
      } else if let hash = known[ObjectIdentifier(node)] {
        path = hash
      } else {
        walked.append(node)
        next = node.nextResponder
      }
    }
    guard var path else { return 0 }
    for node in walked.reversed() {
      path = PathHash.hash(node.mark?.identifier ?? "", below: path)
      known[ObjectIdentifier(node)] = path
    }
    return path
  }

  /// Removes all hashes, because a path has changed.
  func forget() { if !known.isEmpty { known = [:] } }
}
