import Lineage
import LineageTerminal

/// The keys of the screen below, and what they do.
final class HelpScreen: Screen {
  init() {
    super.init("help")
    onKey(.escape, "back") { $0.close() }
  }

  override var title: String { "Help" }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    let keys = (presenter?.offers ?? []).map { "\($0.key ?? ""): \($0.name)" }
    let others = ["arrows, home, end, page-up, page-down: move", "control-c: quit", ""]
    let promise = "What you have typed comes back after quitting, and even after kill -9."
    frame.write((keys + others + [promise]).joined(separator: "\n"), wrappedIn: rows)
  }
}
