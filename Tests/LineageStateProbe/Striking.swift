import Foundation
import StateRestoration

/// The command that tests the page of strikes.
enum Striking {
  /// Begins a launch on a page, and then waits in a place to be killed. If the place is zero, enters
  /// one place after the other instead, and changes the book.
  static func run(_ url: URL, in place: StrikePlace) {
    let page = StrikePage()
    page.open(url)
    _ = page.begin(version: "1", awaitsConfirmation: false)
    if place == .none {
      StateProbe.say("ready")
      while true { enterAll(page) }
    }
    _ = page.enter(place)
    StateProbe.say("ready")
    while true { pause() }
  }

  private static func enterAll(_ page: StrikePage) {
    page.during(.asking) {}
    for number in 101...104 as ClosedRange<UInt64> {
      let outer = page.enter(StrikePlace(number))
      page.leave(to: page.enter(StrikePlace(number + 100)))
      page.leave(to: outer)
      page.change { $0.retry(StrikePlace(number)) }
      page.complete(StrikePlace(number))
    }
  }
}
