import Lineage
import LineageTerminal

/// The screen on top of all others while the store cannot be opened.
final class StoreScreen: Screen {
  init() { super.init(nil) }

  override var title: String { "The cards could not be opened" }

  override var bindings: [Binding] {
    [("r", "try again", { self.send(RetryOpening()) }), ("q", "quit", quit)]
  }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    guard let opening = context(StoreOpening.self) else { return }
    frame.write("What you have typed is kept.\n\n\(opening.phase)", wrappedIn: rows)
  }
}
