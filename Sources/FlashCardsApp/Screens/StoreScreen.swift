import Lineage
import LineageTerminal

/// The screen on top of all others while the store cannot be opened.
final class StoreScreen: Screen {
  init() {
    super.init(nil)
    onKey("r", "try again") { $0.send(RetryOpening()) }
    onKey("q", "quit") { $0.application?.terminate() }
  }

  // The responder below gets the keys again when this screen leaves.
  override func didAttach() {}

  override var title: String { "The cards could not be opened" }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    guard let opening = context(StoreOpening.self) else { return }
    frame.write("What you have typed is kept.\n\n\(opening.phase)", wrappedIn: rows)
  }
}
