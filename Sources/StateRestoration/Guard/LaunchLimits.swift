/// The parts of an archive that a launch does not restore, because earlier launches have ended in
/// them.
package struct LaunchLimits: Equatable, Sendable {
  package internal(set) var extent = RestorationExtent.all
  /// The phases that are left out, and the records that are left out with the records below them.
  /// Of the application's own record, only its values and slots are.
  package internal(set) var leftOut: Set<StrikePlace> = []
  /// The records that the app has asked to try again, even if something else was saved in their
  /// places meanwhile.
  package internal(set) var retried: Set<StrikePlace> = []
  /// Whether kept archives come back: a launch that has restored nothing has ended nevertheless, so
  /// the state is not to blame.
  package internal(set) var bringsBack = false
  /// Whether the end of the last launch is known and counted. If not, the launch restores the
  /// application's own record only.
  package internal(set) var isCertain = true {
    didSet { if !isCertain { extent = max(extent, .minimum) } }
  }
  /// The place in which the last launch has ended; nil if it has ended well.
  package internal(set) var lastEnd: StrikePlace?
  /// The version of the app in that launch; empty if it has ended well.
  package internal(set) var lastVersion = ""

  package init() {}
}
