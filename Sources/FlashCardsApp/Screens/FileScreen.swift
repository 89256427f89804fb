import Lineage
import LineageTerminal

/// The name of a file to import or to export, and the progress of this work.
final class FileScreen: DeckScreen {
  @Restorable("isExport") private var isExport = false
  private let field = TextField("File:", identifier: "file")

  /// Makes a screen that exports a deck, or imports a file.
  init(_ deck: Object<Deck>? = nil) {
    super.init("file", deck, views: [field])
    isExport = deck != nil
    onKey(.enter, "begin", when: { $0.context(WorkProgress.self) == nil }) { try $0.begin() }
    onKey(.escape, "cancel") { $0.close() }
  }

  /// Works in the background, so that all screens stay usable. Leaving this screen ends the work.
  private func begin() throws {
    let (file, store) = (try CardFile(field.text), try context().anyStore)
    let deck = isExport ? try context().own(deck?.id).id : nil
    task { screen, progress in
      let count = try await store?.background(
        progress: { try? progress.report($0.completed, of: $0.total) }
      ) { context, progress in
        guard let deck else { return try file.read(into: context, progress) }
        return try file.write(context.own(deck), progress)
      }
      screen.send(StoreSaved())
      screen.close("\(count ?? 0) cards were \(screen.isExport ? "exported" : "imported").")
    }
  }

  override var title: String { isExport ? "Export \(super.title)" : "Import" }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    field.draw(in: &frame, row: rows.lowerBound)
    let words = context(WorkProgress.self).map { "\($0.completed) of \($0.total, default: "…")" }
    frame.write(words ?? CardFile.help, wrappedIn: rows.dropFirst(2))
  }
}
