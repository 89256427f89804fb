#if Postgres
public import ObjectGraph
public import PostgresStorage
public import ResponderChain

extension Application {
  /// Opens a store on a PostgreSQL server on another thread, and provides a root context of the store.
  ///
  /// The function returns at once, and the context is pending until the store is open. Everything else is
  /// as for ``openStore(at:restoring:_:file:line:)``.
  ///
  /// ```swift
  /// application.openStore(PostgresOptions("postgresql://cards@db.example.org/cards"), [Card.self])
  /// ```
  ///
  /// - Complexity: That of `provide(_:for:)`. The store is opened on another thread.
  public final func openStore(
    _ options: PostgresOptions, _ entities: [any Entity.Type], migrations: [Migration] = [],
    restoring contents: RestoredContents = .nothing, file: StaticString = #fileID,
    line: Int = #line
  ) {
    openStore(
      at: options.url, restoring: contents,
      { progress in
        try await PostgresStore.open(
          options, entities, migrations: migrations, progress: progress
        ).makeContext()
      }, file: file, line: line)
  }
}

extension ObjectContext {
  /// The store on a PostgreSQL server of the context's root; nil if the root has a store of another kind,
  /// or no store.
  public var postgresStore: PostgresStore? { root.store as? PostgresStore }
}
#endif
