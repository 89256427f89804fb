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
  /// Changes with every registration, link and slot that may concern who listens here and below.
  var version: UInt64 = 0
  /// Those whom a change of one of the node's slots concerned last, by key.
  var audiences: [Audience] = []
  /// The number of own observers after which ended ones are looked for.
  var sweepAt = 8
}

extension Listening {
  /// Forgets observers whose token was dropped.
  func sweep() {
    for listener in own where listener.hasEnded { listener.unregister() }
    sweepAt = max(8, own.count * 2)
  }

  /// Makes what is remembered of the listeners here stale.
  func outdate() {
    version &+= 1
    if !audiences.isEmpty { audiences = [] }
  }
}

extension Core {
  /// Tells the ancestors of somebody who listens that another slot may decide for them now.
  func outdateAudiences() {
    guard let listening = contents?.listening, listening.count > 0 else { return }
    var node: Core? = self
    while let core = node {
      core.contents?.listening?.outdate()
      node = core.liveParent
    }
  }

  /// Adds to the counts of the node and all its ancestors, and links or unlinks the ways down.
  ///
  /// A promise's listener is in no audience, so it need not outdate them.
  func addListeners(_ change: Int, bits: UInt64, outdating: Bool = true) {
    var core = self
    while true {
      let contents = core.madeContents()
      let listening = contents.listening ?? Listening()
      contents.listening = listening
      let before = listening.count
      listening.count += change
      if outdating { listening.outdate() }
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
