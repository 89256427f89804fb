import Lineage
import LineageTerminal

/// The name of a file to import or to export, and the progress of this work.
final class FileScreen: DeckScreen {
  enum Work: String, RestorableValue { case reading, writing }

  @Restorable("work") private var work = Work.reading
  private let field = TextField("File:", identifier: "file")

  /// Makes a screen that imports a file, or exports a deck.
  init(_ work: Work = .reading, _ deck: Object<Deck>? = nil) {
    super.init("file", deck, views: [field])
    self.work = work
    onKey(.enter, "begin", when: { $0.context(WorkProgress.self) == nil }) { try $0.begin() }
    onKey(.escape, "cancel") { $0.close() }
  }

  /// Works in the background, so that all screens stay usable. Leaving this screen ends the work.
  private func begin() throws {
    let (file, deck, store) = (try CardFile(field.text), deck?.id, try context().sqliteStore)
    task { screen, progress in
      let count = try await store?.background(
        progress: { try? progress.report($0.completed, of: $0.total) }
      ) { context, progress in
        guard let deck else { return try file.read(into: context, progress) }
        return try file.write(deck, of: context, progress)
      }
      screen.close(after: count ?? 0)
    }
  }

  private func close(after count: Int) {
    say("\(count) cards were \(work == .reading ? "imported" : "exported").")
    close()
  }

  override var title: String { work == .reading ? "Import" : "Export \(super.title)" }
  override var focus: Responder { field }

  override func draw(in frame: inout Frame, rows: Range<Int>) {
    field.draw(in: &frame, row: rows.lowerBound)
    let progress = context(WorkProgress.self)
    let words = progress.map { "\($0.completed) of \($0.total.map(String.init) ?? "…")" }
    frame.write(words ?? CardFile.help, wrappedIn: rows.dropFirst(2))
  }
}
