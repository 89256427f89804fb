extension Responder {
  /// The responder's own core; nil if it has none.
  final var ownCore: Core? { coreReference.own?.strong }

  /// The next core towards the root, even if its responder has ended.
  final var parentCore: Core? { coreReference.parent?.strong }

  /// The next core towards the root; `nil` at the top, and if the responder of that core has ended.
  final var liveParent: Core? {
    guard let parent = parentCore, !parent.isDead else { return nil }
    return parent
  }

  /// Whether the responder's parent has ended.
  final var isOrphan: Bool { coreReference.parent?.with { $0.isDead } ?? false }

  /// Replaces the link to the parent's core. Only `Responder+Links.swift` and `Round` call this
  /// function.
  final func link(to parent: CoreRef?) {
    guard let own = coreReference.own else {
      return setCoreReference(CoreReference(parent: parent))
    }
    own.with { $0.link(to: parent) }
  }

  /// The slots, listeners and hooks; nil for most responders.
  final var contents: NodeContents? { coreReference.own?.contents }

  final var flags: UInt64 { coreReference.own?.flags ?? 0 }

  final func has(_ flag: UInt64) -> Bool { flags & flag != 0 }

  /// The state that all responders of this tree share; nil in a tree without an application.
  final var attachedTree: TreeState? { (ownCore ?? liveParent)?.tree }
}
