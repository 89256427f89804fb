/// An explanation of a lookup. It names the responder that asked, the responders on the way and the
/// slot that answered, and gives advice.
public struct Explanation: CustomStringConvertible, Sendable {
  /// A responder on the way of the lookup, with its slot for the key.
  public struct Hop: Sendable {
    /// The responder's type and name.
    public let responder: String
    /// The kind of the responder's slot for the key; nil if it has none.
    public let slot: SlotSummary.SlotKind?
  }

  /// A slot for the key that is not on the way of the lookup.
  public struct NearMiss: Sendable {
    /// The path of the responder that has the slot.
    public let path: String
    /// The place of the responder that has the slot, in relation to the responder that asked.
    public let place: String
    /// The kind of the slot.
    public let slot: SlotSummary.SlotKind
  }

  /// The key's name.
  public let key: String
  /// The path of the responder that asked.
  public let asker: String
  /// The result of the lookup, in words.
  public let outcome: String
  /// The responders from the one that asked up to the one whose slot answered, or to the top.
  public let hops: [Hop]
  /// Slots for the key that are not on the way of the lookup. They are below the responder that
  /// asked, beside its ancestors, above the slot that answered or in a detached tree.
  public let nearMisses: [NearMiss]
  /// Facts about the tree that explain the result.
  public let notes: [String]
  /// Sentences of advice.
  public let advice: [String]

  /// The explanation in several lines, in the form of a compiler's diagnostics.
  ///
  /// - Complexity: O(*h*) for *h* hops.
  public var description: String {
    var lines = ["\(key) for \(asker): \(outcome)"]
    let isLeftOut = hops.indices.map { $0 >= 8 && $0 < hops.count - 4 && hops[$0].slot == nil }
    let leftOut = isLeftOut.count(where: \.self)
    for (index, hop) in hops.enumerated() where !isLeftOut[index] {
      lines.append("  \(index == 0 ? "asked" : "then ") \(hop.responder): \(Self.say(hop.slot))")
      if index == 7, leftOut > 0 { lines.append("  … \(leftOut) more without a slot …") }
    }
    lines += notes.map { "note: \($0)" }
    lines += nearMisses.map { "note: \($0.path) has it (\($0.slot)), but is \($0.place)." }
    lines += advice.map { "help: \($0)" }
    return lines.joined(separator: "\n")
  }

  private static func say(_ slot: SlotSummary.SlotKind?) -> String {
    slot.map(\.description) ?? "no slot"
  }
}

extension Responder {
  /// Explains the result of a lookup, without making a branch's child.
  ///
  /// The explanation names the present child of a branch, even if the next read of a drifting
  /// branch would make another child.
  ///
  /// - Complexity: O(*depth*). If there is no value, also O(*n*) for *n* responders in the tree and
  ///   in the trees that were detached from it. An explanation is meant for people, not for
  ///   programs.
  public final func explain<K: ContextKey>(_ key: K.Type) -> Explanation {
    explain(key, appliesLetters: false)
  }

  /// Explains the result of a lookup. `appliesLetters` says that the caller is a wait, which
  /// applies letters itself. Then the explanation does not advise to run the application.
  final func explain<K: ContextKey>(_ key: K.Type, appliesLetters: Bool) -> Explanation {
    let id = KeyID(key)
    var hops: [Explanation.Hop] = []
    var decider: (responder: Responder, slot: Slot)?
    var branch: Responder?
    for responder in chain {
      let slot = responder.contents?.slot(id)
      hops.append(.init(responder: responder.debugLabel, slot: slot?.kind))
      guard let slot else { continue }
      guard let unused = slot.branch, unused.child == nil else {
        decider = (responder, slot)
        break
      }
      branch = branch ?? responder
    }
    var notes: [String] = []
    var advice: [String] = []
    let base = explainOutcome(key, decider, appliesLetters, &notes, &advice)
    let outcome = branch.map { "a branch of \($0.debugLabel), which inherits \(base)" } ?? base
    let hasValue = decider?.slot.readableCell != nil
    let nearMisses = hasValue ? [] : nearMisses(id, decider?.responder)
    if decider == nil {
      if attachedTree == nil { notes.append(detachedNote) }
      advice.append(helpForMissing(key, nearMisses))
    }
    return Explanation(
      key: String(describing: key), asker: path, outcome: outcome, hops: hops,
      nearMisses: nearMisses, notes: notes, advice: advice)
  }

  private func explainOutcome<K: ContextKey>(
    _ key: K.Type, _ decider: (responder: Responder, slot: Slot)?, _ appliesLetters: Bool,
    _ notes: inout [String], _ advice: inout [String]
  ) -> String {
    guard let (responder, slot) = decider else { return "missing" }
    switch slot.state {
    case .value(let cell):
      return "a value\(Self.described(cell, key)), provided by \(responder.debugLabel)"
    case .block:
      advice.append(
        responder === self
          ? "Withdraw the block of \(responder.debugLabel), or provide \(key) there instead."
          : "Provide \(key) below \(responder.debugLabel), or withdraw the block there.")
      return "blocked by \(responder.debugLabel)"
    case .failed(let failure):
      advice.append("Load or provide \(key) again at \(responder.debugLabel).")
      return "failed at \(responder.debugLabel): \(failure.error)"
    case .pending(let value, _):
      explainWaiting(value, appliesLetters, &notes, &advice)
      return "pending at \(responder.debugLabel)"
    case .branch(let branch):
      if branch.isDrifting {
        notes.append(
          "The branch keeps its child although another context is inherited: "
            + (branch.hasUnsavedChanges
              ? "there are unsaved changes in it or below it." : "its policy is .keep."))
      }
      let child = branch.child.map { Self.described($0.cell, key) } ?? ""
      return "a value\(child), a child made by the branch of \(responder.debugLabel)"
    }
  }

  /// Returns the description of a context that can have children, if the description says more than
  /// the key's name; otherwise returns an empty string.
  private static func described<K: ContextKey>(_ cell: Cell, _ key: K.Type) -> String {
    let value = cell.value(as: K.Value.self)
    guard let context = value as? any BranchingContext & CustomStringConvertible,
      context.description != String(describing: key)
    else { return "" }
    return " (\(context.description))"
  }

  private func explainWaiting(
    _ value: any PendingValue, _ appliesLetters: Bool, _ notes: inout [String],
    _ advice: inout [String]
  ) {
    guard let tree = attachedTree, let application = tree.root else {
      notes.append(detachedNote)
      guard value.hasArrived else { return }
      let top = Array(chain).last ?? self
      notes.append(
        "The value or failure has arrived, but \(top.debugLabel) is in no application that would "
          + "apply it.")
      advice.append("Attach the tree to an application, or await context(whenReady:).")
      return
    }
    // A task that sleeps at the mailbox applies the letters that arrive.
    let mailbox = tree.mailbox
    guard !appliesLetters, !mailbox.isOpened, !mailbox.hasSleepers else { return }
    let waiting = mailbox.count
    notes.append(
      "\(application.debugLabel) has neither run nor drained its mailbox, which holds \(waiting) "
        + "letter\(waiting == 1 ? "" : "s").")
    advice.append("Call application.run() in the program's main task, or drain() in its loop.")
  }

  /// A sentence for a detached tree. It names the parent from which the tree was detached, if there
  /// is one.
  private var detachedNote: String {
    let top = Array(chain).last ?? self
    if let parent = top.contents?.formerParent {
      return "\(top.debugLabel) was detached from \(parent.path)."
    }
    return top.has(NodeBits.application)
      ? "" : "\(top.debugLabel) is not attached to an application."
  }

  private func helpForMissing<K: ContextKey>(
    _ key: K.Type, _ nearMisses: [Explanation.NearMiss]
  ) -> String {
    let top = Array(chain).last ?? self
    // A responder below this one cannot become its ancestor.
    guard let nearest = nearMisses.first(where: { $0.place != below }) else {
      return "Provide \(key) at \(debugLabel) or above, for example at \(top.debugLabel)."
    }
    return "Provide \(key) at \(debugLabel) or above, or attach it below \(nearest.path)."
  }

  /// A description of the place of slots below this responder. Lookups do not find them, because
  /// lookups go up.
  private var below: String { "below \(debugLabel), from which lookups go up" }

  /// Returns at most eight slots for the key that are not on the way of the lookup. Slots below
  /// come first, then slots above, beside the ancestors and in detached trees.
  private func nearMisses(_ id: KeyID, _ decider: Responder?) -> [Explanation.NearMiss] {
    var found: [Explanation.NearMiss] = []
    var seen = Set(chain.prefix { $0 !== decider }.map { ObjectIdentifier($0) })
    if let decider { seen.insert(ObjectIdentifier(decider)) }
    func look(_ responders: some Sequence<Responder>, _ place: String) {
      for responder in responders where found.count < 8 {
        guard let slot = responder.contents?.slot(id),
          seen.insert(ObjectIdentifier(responder)).inserted
        else { continue }
        switch slot.state {
        case .value, .pending, .failed, .branch:
          found.append(.init(path: responder.path, place: place, slot: slot.kind))
        case .block: continue
        }
      }
    }
    let top = Array(chain).last ?? self
    look(descendants, below)
    if let decider { look(decider.chain, "above \(decider.debugLabel), where the lookup ends") }
    look(top.descendants, "beside the way")
    for root in attachedTree?.detachedRoots.compactMap(\.object) ?? []
    where root.attachedTree == nil {
      look([root] + Array(root.descendants), "in a detached tree")
    }
    if attachedTree == nil, let former = top.contents?.formerParent {
      look(former.chain, "in the tree that \(top.debugLabel) was detached from")
    }
    return found
  }
}
