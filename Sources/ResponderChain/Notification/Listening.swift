import Synchronization

/// Who listens at a node and below it, so that a change finds those it concerns without visiting
/// the others.
final class Listening {
  /// The listeners registered at the node itself, in no particular order.
  var own: [Listener] = []
  /// The children at or below which somebody listens. They are owned by the node's responder.
  var children: [Unmanaged<Core>] = []
  /// Listeners here and below.
  var count = 0
  /// The bits of the keys listened to here and below; may have bits too many, which descents clear.
  var keyBits: UInt64 = 0
  /// Where the node stands in its parent's `children`.
  var index = 0
  /// The number of own observers after which ended ones are looked for.
  var sweepAt = 8
}

/// One registration at a node: an observer, a waiter, a branch's child or a pending slot.
final class Listener {
  enum Role {
    /// Calls a closure.
    case observer(ObserverBody)
    /// Resumes a suspended task.
    case waiter(Waiter)
    /// Drops or keeps a branch's child.
    case branch(Unmanaged<Slot>)
    /// Carries a pending slot's promise to the mailbox of the tree it is in.
    case promise(Promise)
  }

  let role: Role
  let key: any ErasedKey.Type
  let id: KeyID
  let number: UInt64
  /// The node, as long as the listener is registered there.
  private var node: Unmanaged<Core>?
  /// Where it stands in the node's list.
  var index = 0
  /// What an observer last heard.
  var last: Answer?
  /// Its place in the running round's queue, if it waits there.
  var queuedAt: UInt64?
  /// How often it was called in the round with this number.
  var calls = (round: UInt64(0), count: 0)

  private static let numbers = Atomic<UInt64>(0)

  init(_ role: Role, _ key: any ErasedKey.Type) {
    self.role = role
    self.key = key
    id = key.id
    number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Registers with a node and tells all its ancestors.
  func register(at core: Core) {
    node = .passUnretained(core)
    let contents = core.madeContents()
    let listening = contents.listening ?? Listening()
    contents.listening = listening
    if listening.own.count >= listening.sweepAt { listening.sweep() }
    index = listening.own.count
    listening.own.append(self)
    core.addListeners(1, bits: id.bit)
  }

  /// Takes the registration back; does nothing if there is none.
  func unregister() {
    queuedAt = nil
    guard let core = node?.takeUnretainedValue(), let listening = core.contents?.listening
    else { return }
    node = nil
    listening.own.swapRemove(at: index) { $0.index = $1 }
    core.addListeners(-1, bits: 0)
  }

  /// The node it is registered at.
  var core: Core? { node?.takeUnretainedValue() }

  var hasEnded: Bool {
    if case .observer(let body) = role { body.hasEnded } else { false }
  }
}

extension Listening {
  /// Forgets observers whose token was dropped.
  func sweep() {
    for listener in own where listener.hasEnded { listener.unregister() }
    sweepAt = max(8, own.count * 2)
  }
}

extension Core {
  /// Adds to the counts of the node and all its ancestors, and links or unlinks the ways down.
  func addListeners(_ change: Int, bits: UInt64) {
    var core = self
    while true {
      let contents = core.madeContents()
      let listening = contents.listening ?? Listening()
      contents.listening = listening
      let before = listening.count
      listening.count += change
      listening.keyBits |= bits
      if listening.count == 0 { listening.keyBits = 0 }
      guard let parent = core.liveParent else { return }
      if before == 0 {
        let above = parent.madeContents()
        let siblings = above.listening ?? Listening()
        above.listening = siblings
        listening.index = siblings.children.count
        siblings.children.append(.passUnretained(core))
      } else if listening.count == 0 {
        parent.contents?.listening?.children.swapRemove(at: listening.index) {
          $0.takeUnretainedValue().contents?.listening?.index = $1
        }
      }
      core = parent
    }
  }
}

extension Array {
  /// Removes an element by moving the last one into its place, which is told its new index.
  mutating func swapRemove(at index: Int, moved: (Element, Int) -> Void) {
    let last = removeLast()
    guard index < count else { return }
    self[index] = last
    moved(last, index)
  }
}
