import Foundation
import ResponderChain

/// The settings of a restoration, as the app has made them; see the properties of ``Restoration``.
struct Settings {
  var limits = RestorationLimits()
  var parentage = Restoration.Parentage.nearest
  var ask: ((RestorationInfo) -> Restoration.Extent)?
  var makeResponder: ((RestorationRequest) throws -> Responder?)?
  var didDecode: ((Application) -> Void)?
  var onReport: ((RestorationReport) -> Void)?
  var appVersion = ""
  var awaitsConfirmation = false
  /// The closure that returns the time, in seconds since the reference date.
  var clock: () -> Double = { Date().timeIntervalSinceReferenceDate }
}
