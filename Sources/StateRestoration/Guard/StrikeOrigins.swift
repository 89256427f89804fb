import ResponderChain

/// The records for which the changes of the current round were made. Observers are called at the
/// end of a round. Meanwhile, the page names the record for which their change was made.
package final class StrikeOrigins: RoundFollower {
  private let page: StrikePage
  /// The records, stored under the numbers of the changes.
  private var records: [Int: StrikePlace] = [:]
  /// The place before the present calls of observers; nil outside such calls.
  private var outer: StrikePlace?

  package init(_ page: StrikePage) { self.page = page }

  /// Registers this object with the current round, if the guard is on.
  package func followRound() {
    // Several restorations may share one round. Only the first of them clears the records.
    if page.isOn, RoundFollowing.begin(self) { records = [:] }
  }

  package func didChange(_ number: Int) {
    if page.place.isRecord { records[number] = page.place }
  }

  package func willCall(_ number: Int) {
    if let record = records[number] { outer = page.enter(record) }
  }

  package func didCall() {
    if let outer = outer.take() { page.leave(to: outer) }
  }
}
