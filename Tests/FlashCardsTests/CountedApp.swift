import FlashCardsApp
import Foundation
import Lineage
import LineageTerminal

/// The program FlashCards on the main thread of this process, which draws a frame after each turn. Its
/// statements are counted, and the cells that its frames change.
@MainActor final class CountedApp {
  /// The cost of a key for the tree.
  struct Cost: Equatable {
    var work: StatementTrace.Work
    /// The number of cells that differ from the frame before the key.
    var cells: Int
  }

  private let app: FlashCardsApp.FlashCards
  private let trace: StatementTrace
  /// The frame that the user sees.
  private(set) var frame: Frame
  private var turns = 0

  /// Launches the program with the data in a folder, up to its first frame.
  init(in folder: URL, _ trace: StatementTrace) throws {
    self.trace = trace
    app = FlashCardsApp.FlashCards(try Options(["--data", folder.path]))
    app.start()
    frame = app.frame((80, 24))
    app.onTurn { [unowned self] in
      turns += 1
      frame = $0.frame((80, 24))
    }
  }

  /// Lets the tree do all that is under way.
  func settle() async { await app.settle() }

  /// Ends the program.
  func end() async {
    app.terminate()
    await app.settle()
  }

  /// Types a key, and returns what the tree does until nothing is under way any more.
  func cost(of key: Key) async -> Cost {
    await cost(of: key) { await $0.settle() }
  }

  /// Types a key, and returns what the tree does for the frame that comes at once.
  func costAtOnce(of key: Key) async -> Cost {
    await cost(of: key) { [turns, self] in await $0.applyLetters { self.turns > turns } }
  }

  /// Types a key, and returns what the tree does until the frame has a text.
  func cost(of key: Key, until text: String) async -> Cost {
    await cost(of: key) { [self] in await $0.applyLetters { frame.text.contains(text) } }
  }

  private func cost(
    of key: Key, _ applyLetters: (FlashCardsApp.FlashCards) async -> Void
  ) async -> Cost {
    _ = trace.take()
    let before = frame
    app.mailbox.post { ($0 as? FlashCardsApp.FlashCards)?.press(key) }
    await applyLetters(app)
    return Cost(
      work: trace.take(), cells: zip(frame.cells, before.cells).count { $0 != $1 })
  }
}
