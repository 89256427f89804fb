/// An explanation of a lookup. It names the responder that asked, the responders on the way and the
/// slot that answered, and gives advice.
public struct Explanation: CustomStringConvertible, Sendable {
  /// A responder on the way of the lookup, with its slot for the key.
  public struct Hop: Sendable {
    /// The responder's type and name.
    public let responder: String
    /// The kind of the responder's slot for the key; nil if it has none.
    public let slot: SlotSummary.SlotKind?
    /// The number of hops from the responder that asked; zero for that responder itself.
    public let distance: Int
    /// The place at which the slot was made; nil if there is no slot, and unless
    /// ``Responder/keepsOrigins`` was true.
    public let origin: SlotOrigin?
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
  ///
  /// A branch that has no child does not answer, but inherits.
  public let hops: [Hop]
  /// The last of ``hops``, whose slot has answered; nil if the context is missing.
  public let winner: Hop?
  /// The slots above ``winner``, the nearest first, except beyond a block. Without the winner's
  /// slot, the lookup would go on to them. A branch inherits from the first of them.
  public let shadowed: [Hop]
  /// The slots above ``winner``, the nearest first, if the winner is a block. Otherwise there are
  /// none.
  public let beyond: [Hop]
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
  /// branch would make another child. The key may also be one whose type is not known, from
  /// ``slotSummaries``:
  ///
  /// ```swift
  /// for slot in application.slotSummaries { print(button.explain(slot.key)) }
  /// ```
  ///
  /// - Complexity: O(*depth*). If there is no value, also O(*n*) for *n* responders in the tree and
  ///   in the trees that were detached from it. An explanation is meant for people, not for
  ///   programs.
  public final func explain<K: ContextKey>(_ key: K.Type) -> Explanation {
    Explainer(key, asker: self).explanation()
  }

  /// Explains the result of a lookup for a wait, which applies letters itself. So the explanation
  /// does not advise to run the application.
  final func explainWait<K: ContextKey>(_ key: K.Type) -> Explanation {
    Explainer(key, asker: self, appliesLetters: true).explanation()
  }
}
