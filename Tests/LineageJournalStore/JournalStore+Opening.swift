package import ObjectGraph

extension JournalStore {
  /// Opens a store on a journal. Returns the store, or the reason why it cannot be opened.
  ///
  /// The journal is read in pieces, and progress is reported before each piece. Cancelling the task
  /// ends the opening.
  package static func opening(
    of journal: Journal, _ entities: [any Entity.Type], pieceSize: Int = 10,
    progress: @escaping @Sendable (OpeningProgress) -> Void = { _ in }
  ) async -> Opening<JournalStore> {
    await onOwnThread { cancellation in
      do {
        let model = try Model(entities)
        let schema = model.layouts.map { [$0.name] + $0.columns.map(\.name) }
        guard let (isNew, count) = journal.take(schema) else { return .otherSchema }
        var tables = JournalTables(model)
        while tables.place < count {
          let start = tables.place
          progress(
            OpeningProgress(
              step: "reading the journal", number: start / pieceSize + 1,
              count: (count + pieceSize - 1) / pieceSize))
          try cancellation.check()
          for entry in journal.read(start..<min(start + pieceSize, count)) { tables.apply(entry) }
        }
        try cancellation.check()
        let store = JournalStore(journal, tables)
        // Applies the commits that were made during the opening.
        try store.postForeignCommits()
        return isNew ? .created(store) : .ready(store)
      } catch is CancellationError {
        return .cancelled
      } catch {
        return .failed(error as? GraphError ?? GraphError("open", .other("\(error)")))
      }
    }
  }
}
