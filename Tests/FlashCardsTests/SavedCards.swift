import CLineageSQLite
import Foundation
import LineageTestSupport

/// A card in the store.
struct SavedCard: Hashable {
  var question: String
  var answer: String
  /// The number of times that the card was asked.
  var asked = 0
}

/// The cards in the file of a program that was killed, by their tokens.
struct SavedCards {
  private(set) var all: [String: [SavedCard]] = [:]

  /// Reads a copy of the file, so that the next launch finds what the killed program has left.
  init(in folder: URL) throws {
    let copy = try Drawer()
    for name in ["cards.sqlite", "cards.sqlite-wal"] {
      let file = folder.appending(path: name)
      guard FileManager.default.fileExists(atPath: file.path) else { continue }
      try FileManager.default.copyItem(at: file, to: copy.file(name))
    }
    let query = "SELECT question, answer, rightCount + wrongCount FROM Card"
    var (handle, statement): (OpaquePointer?, OpaquePointer?)
    defer {
      sqlite3_finalize(statement)
      sqlite3_close(handle)
    }
    guard sqlite3_open(copy.file("cards.sqlite").path, &handle) == SQLITE_OK,
      sqlite3_prepare_v2(handle, query, -1, &statement, nil)
        == SQLITE_OK
    else { throw Mishap(String(cString: sqlite3_errmsg(handle))) }
    while sqlite3_step(statement) == SQLITE_ROW {
      let texts = (0..<2).map {
        sqlite3_column_text(statement, $0).map { String(cString: $0) } ?? ""
      }
      let asked = Int(sqlite3_column_int64(statement, 2))
      let card = SavedCard(question: texts[0], answer: texts[1], asked: asked)
      all[Glimpse.token(in: card.question) ?? "", default: []].append(card)
    }
  }
}
