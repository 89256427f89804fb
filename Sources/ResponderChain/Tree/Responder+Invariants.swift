extension Responder {
  /// The laws of the central structures that do not hold at this responder, a sentence each.
  ///
  /// Empty unless the library has a fault; between rounds only, while nobody delivers. For tests.
  package final func checkInvariants() -> [String] {
    var broken = core.checkRoute()
    if let route, route.takeUnretainedValue().isValid, route.toOpaque() != core.route?.toOpaque() {
      broken.append("has another valid route than its core")
    }
    if let contents = core.contents { broken += contents.checkInvariants(of: core) }
    broken += checkListening()
    return broken.map { "\(label) \($0)" }
  }
}
