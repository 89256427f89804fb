/// The rare events of a round. One set has them all, so that a round without any of them reads
/// nothing else at its end.
struct RoundEvents: OptionSet {
  let rawValue: UInt8

  /// A listener has moved; see ``Listener/moved``.
  static let move = RoundEvents(rawValue: 1)
  /// A drift is to be reported.
  static let drift = RoundEvents(rawValue: 2)
  /// A listener that has ended was found in an audience.
  static let ended = RoundEvents(rawValue: 4)
  /// An object follows the round.
  static let following = RoundEvents(rawValue: 8)
  /// An observer was to be called too often. The round calls no more observers, but it still ends
  /// waits and checks branches.
  static let fault = RoundEvents(rawValue: 16)
}
