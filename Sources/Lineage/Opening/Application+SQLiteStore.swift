public import Foundation
import LineageFiles
public import ObjectGraph
public import ResponderChain
public import SQLiteStorage

extension Application {
  /// Opens a store's file on another thread, and provides a root context of the store.
  ///
  /// The function returns at once, and the context is pending until the store is open. Responders
  /// can resolve, observe or wait for `ObjectContext`. They can do the same with ``StoreOpening``,
  /// to show the progress. If the opening fails, the tree stays usable, and the action
  /// ``RetryOpening`` from any responder opens the store again. Opening another store replaces the
  /// root context. Each branch then follows the new context or keeps the old one, as declared.
  ///
  /// If the file's folder is missing, it is made with the mode 0700, unless the options forbid a new
  /// file.
  ///
  /// With `restoring: .edits`, the unsaved changes of the root context itself come back after a kill;
  /// see <doc:UnfinishedEdits>.
  ///
  /// For a store of another kind, use ``openStore(at:restoring:_:file:line:)``.
  ///
  /// - Complexity: That of `provide(_:for:)`. The file is opened on another thread.
  public final func openStore(
    at url: URL, _ entities: [any Entity.Type], options: StoreOptions = StoreOptions(),
    migrations: [Migration] = [], restoring contents: RestoredContents = .nothing,
    file: StaticString = #fileID, line: Int = #line
  ) {
    openStore(
      at: url, restoring: contents,
      { progress in
        if options.creates, !options.isReadOnly { try makeFolder(of: url) }
        return try await SQLiteStore.open(
          at: url, entities, options: options, migrations: migrations, progress: progress
        ).makeContext()
      }, file: file, line: line)
  }
}

extension URL {
  /// Returns the usual file for the data of a program: `$XDG_DATA_HOME/name/name.sqlite`.
  ///
  /// ```swift
  /// application.openStore(at: .data(of: "flashcards"), [Card.self, Deck.self])
  /// ```
  ///
  /// If that variable has no absolute path, the folder is `~/.local/share/name`. On Apple's systems, it
  /// is `name` in Application Support instead. The name must not contain slashes.
  public static func data(of name: String) -> URL {
    UserFolder.url(of: name, "XDG_DATA_HOME", or: ".local/share").appending(path: "\(name).sqlite")
  }
}

/// Makes the folder of a store's file, and the missing folders above it.
private func makeFolder(of url: URL) throws(OpeningError) {
  // The store refuses other URLs. If there is a file, its folder exists.
  guard url.namesFile, SystemCalls.fileStatus(at: url.path) == nil else { return }
  do {
    try PrivateFolder(URL(filePath: url.path).deletingLastPathComponent()).make()
  } catch {
    let failure = GraphError("make the file's folder", .inputOutput("\(error)"))
    throw OpeningError(url: url, opening: .failed(failure))
  }
}

extension ObjectContext {
  /// The store of the context's root, for background work; nil if it has no store.
  public var anyStore: (any Store)? { root.store as? any Store }

  /// The SQLite store of the context's root; nil if the root has a store of another kind, or no
  /// store. The store is Sendable, and has functions for background work, checks and backups.
  public var sqliteStore: SQLiteStore? { root.store as? SQLiteStore }
}
