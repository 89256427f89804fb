import Lineage
import Terminal

/// What the keys of the screen below do.
final class HelpScreen: Screen {
  init() { super.init("help") }

  override var title: String { "Help" }
  override var bindings: [Binding] { [(.escape, "back", close)] }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    let keys = (presenter as? Screen)?.bindings.map { ($0.key.name, $0.words) } ?? []
    let all = keys + [("arrows, home, end", "move"), ("control-c", "quit, from everywhere")]
    for (row, (key, words)) in zip(rows, all) {
      frame.write(key, row: row, column: 2, style: .bold)
      frame.write(words, row: row, column: 22)
    }
    frame.write(
      "What you have typed comes back after quitting, and even after kill -9.",
      wrappedIn: rows.dropFirst(all.count + 1))
  }
}
