/// The making of one explanation.
struct Explainer<K: ContextKey> {
  private let key: K.Type
  private let asker: Responder
  private let appliesLetters: Bool
  /// The top of the tree, and the state that its responders share.
  private let top: Responder
  private let tree: TreeState?
  private let label: (Responder) -> String
  private let path: (Responder) -> String
  private var notes: [String] = []
  private var advice: [String] = []

  init(
    _ key: K.Type, asker: Responder, appliesLetters: Bool = false,
    in surroundings: (top: Responder, tree: TreeState?)? = nil,
    label: @escaping (Responder) -> String = \.debugLabel,
    path: @escaping (Responder) -> String = \.path
  ) {
    (self.key, self.asker, self.appliesLetters) = (key, asker, appliesLetters)
    (self.label, self.path) = (label, path)
    (top, tree) = surroundings ?? (asker.chain.reduce(asker) { $1 }, asker.attachedTree)
  }

  private typealias Hop = Explanation.Hop
  private typealias NearMiss = Explanation.NearMiss
  typealias Decider = (responder: Responder, slot: Slot)

  private var id: KeyID { KeyID(key) }

  /// Walks from the responder that asked up to the top, and explains what the lookup finds.
  consuming func explanation() -> Explanation {
    var (hops, above): ([Hop], [Hop]) = ([], [])
    var decider: Decider?
    var branch: Responder?
    for (distance, responder) in asker.chain.enumerated() {
      let slot = responder.contents?.slot(id)
      if decider != nil, slot == nil { continue }
      let hop = Hop(
        responder: label(responder), slot: slot?.kind, distance: distance,
        origin: slot.flatMap { responder.contents?.hooks?.origins[$0.id] })
      guard decider == nil else {
        above.append(hop)
        continue
      }
      hops.append(hop)
      guard let slot else { continue }
      if let unused = slot.branch, unused.child == nil {
        branch = branch ?? responder
      } else {
        decider = (responder, slot)
      }
    }
    let hasValue = decider?.slot.readableCell != nil
    let isBlocked = if case .block = decider?.slot.state { true } else { false }
    let answer = answer(
      decider, branch: branch, nearSlots: hasValue ? [] : nearSlots(decider?.responder))
    return Explanation(
      key: String(describing: key), asker: path(asker), outcome: answer.outcome, hops: hops,
      winner: decider == nil ? nil : hops.last, shadowed: isBlocked ? [] : above,
      beyond: isBlocked ? above : [], nearMisses: answer.nearMisses, notes: answer.notes,
      advice: answer.advice)
  }

  /// Describes what a lookup finds: the slot that answers, the first branch on the way that has no
  /// child, and slots that are not on the way.
  mutating func answer(
    _ decider: Decider?, branch: Responder?, nearSlots: [NearSlot]
  ) -> ExplainedAnswer {
    let base = outcome(decider)
    if decider == nil {
      if tree == nil { notes.append(detachedNote) }
      advice.append(helpForMissing(nearSlots))
    }
    return ExplainedAnswer(
      outcome: branch.map { "a branch of \(label($0)), which inherits \(base)" } ?? base,
      nearMisses: nearSlots.map { near in
        NearMiss(
          path: path(near.owner), place: place(near.position, decider?.responder), slot: near.kind)
      }, notes: notes, advice: advice)
  }

  private mutating func outcome(_ decider: Decider?) -> String {
    guard let (responder, slot) = decider else { return "missing" }
    switch slot.state {
    case .value(let cell):
      return "a value\(Self.described(cell)), provided by \(label(responder))"
    case .block:
      advice.append(
        responder === asker
          ? "Withdraw the block of \(label(responder)), or provide \(key) there instead."
          : "Provide \(key) below \(label(responder)), or withdraw the block there.")
      return "blocked by \(label(responder))"
    case .failed(let failure):
      advice.append("Load or provide \(key) again at \(label(responder)).")
      return "failed at \(label(responder)): \(failure.error)"
    case .pending(let value, _):
      explainWaiting(value)
      return "pending at \(label(responder))"
    case .branch(let branch):
      if branch.isDrifting {
        notes.append(
          "The branch keeps its child although another context is inherited: "
            + (branch.hasUnsavedChanges
              ? "there are unsaved changes in it or below it." : "its policy is .keep."))
      }
      let child = branch.child.map { Self.described($0.cell) } ?? ""
      return "a value\(child), a child made by the branch of \(label(responder))"
    }
  }

  /// Returns the description of a context that can have children, if the description says more than
  /// the key's name; otherwise returns an empty string.
  private static func described(_ cell: Cell) -> String {
    let value = cell.value(as: K.Value.self)
    guard let context = value as? any BranchingContext & CustomStringConvertible,
      context.description != String(describing: K.self)
    else { return "" }
    return " (\(context.description))"
  }

  private mutating func explainWaiting(_ value: any PendingValue) {
    guard let tree, let application = tree.root else {
      notes.append(detachedNote)
      guard value.hasArrived else { return }
      notes.append(
        "The value or failure has arrived, but \(label(top)) is in no application that would "
          + "apply it.")
      advice.append("Attach the tree to an application, or await context(whenReady:).")
      return
    }
    // A task that sleeps at the mailbox applies the letters that arrive.
    let mailbox = tree.mailbox
    guard !appliesLetters, !mailbox.isOpened, !mailbox.hasSleepers else { return }
    let waiting = mailbox.count
    notes.append(
      "\(label(application)) has neither run nor drained its mailbox, which holds \(waiting) "
        + "letter\(waiting == 1 ? "" : "s").")
    advice.append("Call application.run() in the program's main task, or drain() in its loop.")
  }

  /// A sentence for a detached tree. It names the parent from which the tree was detached, if there
  /// is one.
  private var detachedNote: String {
    if let parent = top.contents?.formerParent {
      return "\(label(top)) was detached from \(path(parent))."
    }
    return top.has(NodeBits.application)
      ? "" : "\(label(top)) is not attached to an application."
  }

  private func helpForMissing(_ nearSlots: [NearSlot]) -> String {
    // A responder below this one cannot become its ancestor.
    guard let nearest = nearSlots.first(where: { $0.position != .below }) else {
      return "Provide \(key) at \(label(asker)) or above, for example at \(label(top))."
    }
    return "Provide \(key) at \(label(asker)) or above, or attach it below \(path(nearest.owner))."
  }

  /// Describes the position of a slot that is not on the way of the lookup.
  private func place(_ position: NearSlot.Position, _ decider: Responder?) -> String {
    switch position {
    case .below: "below \(label(asker)), from which lookups go up"
    case .above: "above \(label(decider ?? top)), where the lookup ends"
    case .beside: "beside the way"
    case .detached: "in a detached tree"
    case .former: "in the tree that \(label(top)) was detached from"
    }
  }

  /// Returns at most eight slots for the key that are not on the way of the lookup. Slots below
  /// come first, then slots above, beside the ancestors and in other trees.
  private func nearSlots(_ decider: Responder?) -> [NearSlot] {
    var found: [NearSlot] = []
    var seen = Set(asker.chain.prefix { $0 !== decider }.map { ObjectIdentifier($0) })
    if let decider { seen.insert(ObjectIdentifier(decider)) }
    func look(_ responders: some Sequence<Responder>, _ position: NearSlot.Position) {
      for responder in responders {
        if found.count == nearMissLimit { return }
        guard let slot = responder.contents?.slot(id), slot.kind != .block,
          seen.insert(ObjectIdentifier(responder)).inserted
        else { continue }
        found.append(NearSlot(owner: responder, kind: slot.kind, position: position))
      }
    }
    look(asker.descendants, .below)
    if let decider { look(decider.chain, .above) }
    look(top.descendants, .beside)
    guard found.count < nearMissLimit else { return found }
    return found + NearSlot.outside(top, id).prefix(nearMissLimit - found.count)
  }
}

/// The result of a lookup, in the words of an explanation.
package struct ExplainedAnswer {
  package let outcome: String
  package let nearMisses: [Explanation.NearMiss]
  package let notes: [String]
  package let advice: [String]
}
