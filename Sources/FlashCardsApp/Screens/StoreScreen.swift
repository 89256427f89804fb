import Foundation
import Lineage
import Terminal

/// The screen on top of all others while the store cannot be opened.
final class StoreScreen: Screen {
  private var showsDetails = false

  init() { super.init("store") }

  override var title: String { "The cards could not be opened" }

  override var bindings: [Binding] {
    [
      ("r", "try again", { self.send(RetryOpening()) }),
      ("d", "details", { self.showsDetails.toggle() }), ("q", "quit", quit),
    ]
  }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    guard let opening = context(StoreOpening.self) else { return }
    let words = showsDetails ? "\(opening.phase)" : "Nothing is lost: what you typed is kept."
    frame.write("\(opening.url.path)\n\n\(words)", wrappedIn: rows)
  }
}
