extension Responder {
  /// The responder's own core, if it has one.
  final var ownCore: Core? { place.own?.strong }

  /// The next core towards the root, also if its responder is gone.
  final var parentCore: Core? { place.parent?.strong }

  /// The next core towards the root; `nil` at a top and below a dead responder.
  final var liveParent: Core? {
    guard let parent = parentCore, !parent.isDead else { return nil }
    return parent
  }

  /// Whether its parent is gone.
  final var isOrphan: Bool { place.parent?.with { $0.isDead } ?? false }

  /// Changes the link up; only `Responder+Links.swift` and the burial of dead parents call it.
  final func link(to parent: CoreRef?) {
    guard let own = place.own else { return stand(at: CoreReference(parent: parent)) }
    own.with { $0.link(to: parent) }
  }

  /// Slots, listeners and hooks; most responders have none.
  final var contents: NodeContents? { place.own?.contents }

  final var flags: UInt64 { place.own?.flags ?? 0 }

  final func has(_ flag: UInt64) -> Bool { flags & flag != 0 }

  /// The state that all responders of this tree share, if the tree has an application.
  final var attachedTree: TreeState? { (ownCore ?? liveParent)?.tree }
}
