import Lineage
import LineageTerminal

/// The keys of the screen below, and what they do.
final class HelpScreen: Screen {
  private static let rest = """
    arrows, home, end, page-up, page-down: move; control-c: quit; control-t: explain the tree

    What you have typed comes back after quitting, and even after kill -9.
    """

  init() {
    super.init("help")
    onKey(.escape, "back") { $0.close() }
  }

  override var title: String { "Help" }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    let offers = ((presenter?.offers ?? []) + (application?.offers ?? [])).filter { $0.name != "" }
    let keys = offers.map { "\($0.key ?? ""): \($0.name)" }
    frame.write((keys + [Self.rest]).joined(separator: "\n"), wrappedIn: rows)
  }
}
