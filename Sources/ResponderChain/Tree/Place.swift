/// Where a responder stands: at a core of its own or, as long as nobody needs that, at its parent's.
///
/// A responder without children, slots, listeners and hooks resolves what its parent resolves, and
/// nobody has to find it. Most of a tree are such leaves. Without a core they take less than half of
/// the memory, and lie closer to each other.
struct Place {
  /// The address of a core, retained by hand; the lowest bit, which an address does not need, says
  /// that it is the parent's.
  private let word: UInt
  private static let parental: UInt = 1

  /// At a parent's core, or at none.
  init(parent core: Unmanaged<Core>?) {
    word = Self.parental | UInt(bitPattern: core?.retain().toOpaque())
  }

  /// At a core of its own.
  init(own core: Core) {
    word = UInt(bitPattern: Unmanaged.passRetained(core).toOpaque())
  }

  /// The responder's own core.
  @inline(__always)
  var own: Unmanaged<Core>? { word & Self.parental == 0 ? start : nil }

  /// Where lookups start: the own core or the parent's, which has the same answers.
  @inline(__always)
  var start: Unmanaged<Core>? {
    UnsafeRawPointer(bitPattern: word & ~Self.parental).map { .fromOpaque($0) }
  }

  /// The next core towards the root, also if its responder is gone.
  @inline(__always)
  var parent: Unmanaged<Core>? {
    guard let own else { return start }
    return own._withUnsafeGuaranteedRef { $0.parent }
  }

  /// Gives the core back.
  func release() { start?.release() }
}

extension Responder {
  /// The responder's own core, if it has one.
  final var ownCore: Core? { place.own?.takeUnretainedValue() }

  /// The responder's own core, made on first need.
  final var core: Core { ownCore ?? makeCore() }

  @inline(never)
  private final func makeCore() -> Core {
    let core = Core()
    core.link(to: place.parent)
    core.adopt(route?.takeUnretainedValue())
    stand(at: Place(own: core))
    if let route = core.liveParent?.validRoute?.takeUnretainedValue() {
      route.strategy.linked(self, in: route)
    }
    return core
  }

  /// The next core towards the root, also if its responder is gone.
  final var parentCore: Core? { place.parent?.takeUnretainedValue() }

  /// The next core towards the root; `nil` at a top and below a dead responder.
  final var liveParent: Core? {
    guard let parent = parentCore, !parent.isDead else { return nil }
    return parent
  }

  /// Whether its parent is gone.
  final var isOrphan: Bool { place.parent?._withUnsafeGuaranteedRef { $0.isDead } ?? false }

  /// Changes the link up; only `Responder+Links.swift` and the burial of dead parents call it.
  final func link(to parent: Unmanaged<Core>?) {
    guard let own = place.own else { return stand(at: Place(parent: parent)) }
    own._withUnsafeGuaranteedRef { $0.link(to: parent) }
  }

  /// Slots, listeners and hooks; most responders have none.
  final var contents: Contents? {
    place.own.flatMap { $0._withUnsafeGuaranteedRef { $0.contents } }
  }

  final var flags: UInt64 { place.own?._withUnsafeGuaranteedRef { $0.flags } ?? 0 }

  final func has(_ flag: UInt64) -> Bool { flags & flag != 0 }

  /// What the responders of this tree share, if it has an application.
  final var attachedTree: Tree? { (ownCore ?? liveParent)?.tree }
}
