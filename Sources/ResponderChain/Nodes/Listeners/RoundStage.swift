/// One of the two stages of a round.
///
/// The listeners of the first stage are called before all others. What they change joins the same
/// round, so a listener of the last stage hears only the outcome. State restoration decodes in the
/// first stage; all other listeners are of the last.
package enum RoundStage: UInt8, CaseIterable, Sendable {
  /// The stage of the observers that ``Responding/observeFirst(_:_:)`` registers.
  case first
  /// The stage of all other listeners.
  case last
}
