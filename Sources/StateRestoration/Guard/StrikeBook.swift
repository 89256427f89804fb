/// The ends of launches that the next launches remember. The book is a plain value; a
/// ``StrikePage`` keeps it. The article <doc:CrashGuard> has the rules. Decisions for cases that
/// lie between them:
///
/// - A launch with the application's record only restores nothing if this record has two strikes.
///   It clears no other strikes, even if a phase comes to its end.
/// - An end counts for the version in which it has happened, before another version tries all again.
/// - What the app asks to try again keeps its strike in the running launch, because only the next
///   launch tries it.
/// - If more than ``limit`` places have strikes, those with the oldest ends are forgotten.
package struct StrikeBook: Equatable, Sendable {
  /// The strikes of one place.
  package struct Strike: Equatable, Sendable {
    package let place: StrikePlace
    /// The number of ends in the place. It is zero if only ``isRetried`` keeps the entry.
    package var count = 0
    /// Whether the app has asked to try the record again.
    package var isRetried = false

    /// Whether launches leave out the place.
    package var isOut: Bool { count >= place.limit }
  }

  /// The greatest number of places with strikes.
  package static let limit = 64
  private static let lastRow = 6

  /// The version of the app in the last launch, cut if it is long.
  package internal(set) var version: String
  /// The number of the last launch.
  package internal(set) var launch: UInt64
  /// The number of ends without a good launch between them.
  package internal(set) var row = 0
  /// The places with strikes, those with the oldest ends first.
  package internal(set) var strikes: [Strike] = []
  /// Whether kept archives come back; see ``LaunchLimits/bringsBack``.
  package internal(set) var bringsBack = false
  /// The limits of the present launch. They are not stored in the page.
  package internal(set) var limits = LaunchLimits()

  /// Makes a book without strikes.
  package init(version: String, launch: UInt64 = 0) {
    (self.version, self.launch) = (Self.cut(version), launch)
  }

  /// Counts the end of the last launch, and begins another launch.
  ///
  /// If the book was lost, `isCertain` is false, and the launch restores the application's own
  /// record only.
  @discardableResult
  package mutating func begin(
    version: String, lastEnd: StrikePlace?, isCertain: Bool = true
  ) -> LaunchLimits {
    let lastVersion = lastEnd == nil ? "" : self.version
    if let lastEnd { count(lastEnd) }
    if Self.cut(version) != self.version {
      self.version = Self.cut(version)
      row = 0
      for strike in strikes {
        if strike.isOut {
          tryAgain(strike)
        } else if take(strike.place).isRetried {
          put(Strike(place: strike.place, isRetried: true))
        }
      }
    }
    launch &+= 1
    limits = LaunchLimits()
    limits.extent = row >= Self.lastRow ? .nothing : row == Self.lastRow - 1 ? .minimum : .all
    limits.leftOut = Set(strikes.filter(\.isOut).map(\.place))
    limits.retried = Set(strikes.filter(\.isRetried).map(\.place))
    (limits.bringsBack, limits.lastEnd, limits.lastVersion) = (bringsBack, lastEnd, lastVersion)
    if !limits.leftOut.isDisjoint(with: [.decoded, .reported, .unconfirmed]) {
      limits.extent = max(limits.extent, .minimum)
    }
    limits.isCertain = isCertain
    return limits
  }

  private mutating func count(_ place: StrikePlace) {
    guard row < Self.lastRow else {
      (strikes, row, bringsBack) = ([], 0, true)
      return
    }
    row += 1
    put(Strike(place: place, count: min(take(place).count + 1, 9)))
  }

  /// Clears the strikes of the places for which the closure returns true, because their code has
  /// come to its end. Places that the launch does not try keep theirs.
  package mutating func complete(_ isComplete: (StrikePlace) -> Bool) {
    strikes = strikes.filter { !isTried($0) || !isComplete($0.place) }
  }

  /// Whether a record that the launch tries has a strike. The launch is not good before such a
  /// record is complete.
  package var isPending: Bool { strikes.contains { isTried($0) && $0.place.isRecord } }

  /// Returns whether the launch tries a place that has strikes.
  private func isTried(_ strike: Strike) -> Bool {
    let place = strike.place
    return !limits.leftOut.contains(place)
      && (!strike.isRetried || limits.retried.contains(place))
      && (limits.extent == .all || limits.extent == .minimum && place == .application)
  }

  /// Ends the row, because the launch is good, and clears the strikes of all places that it has
  /// tried.
  package mutating func noteGood() {
    row = 0
    if limits.bringsBack { bringsBack = false }
    complete { _ in true }
  }

  /// Lets the next launch try a record again, even if something else was saved in its place
  /// meanwhile. After one more end, the record is left out again.
  package mutating func retry(_ record: StrikePlace) {
    var strike = take(record)
    strike.isRetried = true
    put(strike)
    tryAgain(strike)
  }

  /// Lets the next launch try again all that is left out, but no record whose place something else
  /// has now. After one more end, the place is left out again.
  package mutating func retryAll() {
    for strike in strikes { tryAgain(strike) }
  }

  /// Lets the next launch bring back the archives that were kept.
  package mutating func bringBack() { bringsBack = true }

  /// Lets a place that is left out be tried again, until one more end.
  private mutating func tryAgain(_ strike: Strike) {
    guard strike.isOut else { return }
    var strike = take(strike.place)
    strike.count = strike.place.limit - 1
    if strike.count > 0 { put(strike) }
  }

  /// Removes the strikes of a place, and returns them.
  private mutating func take(_ place: StrikePlace) -> Strike {
    let index = strikes.firstIndex { $0.place == place }
    return index.map { strikes.remove(at: $0) } ?? Strike(place: place)
  }

  private mutating func put(_ strike: Strike) {
    strikes.append(strike)
    if strikes.count > Self.limit { strikes.removeFirst() }
  }
}
