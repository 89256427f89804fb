/// One of the two stages of a round.
///
/// The listeners of the first stage are called before all others. Changes that they make join the
/// same round, so listeners of the last stage are called with the answers after these changes. Only
/// state restoration has listeners in the first stage, where it decodes values.
package enum RoundStage: UInt8, CaseIterable, Sendable {
  /// The stage of the observers that ``Responding/observeFirst(_:_:)`` registers.
  case first
  /// The stage of all other listeners.
  case last
}
