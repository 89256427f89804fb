import CLineageSQLite
import Foundation
import LineageFiles
import ObjectGraph
import SQLStorage

/// One opening of a file, which runs on a thread of its own.
struct Opener {
  let path: String
  let options: StoreOptions
  let limits: FileLimits
  let migrator: Migrator

  var model: Model { migrator.model }
  var cancellation: Cancellation { migrator.cancellation }

  static func open(
    _ url: URL, _ entities: [any Entity.Type], _ options: StoreOptions, _ limits: FileLimits,
    _ migrations: [Migration], _ cancellation: Cancellation,
    _ progress: @escaping @Sendable (OpeningProgress) -> Void
  ) -> Opening<SQLiteStore> {
    guard url.namesFile else {
      return .failed(GraphError("open \(url.withoutCredentials.absoluteString)", .notAFile))
    }
    let model: Model
    do {
      model = try Model(entities)
    } catch {
      return .failed(error as? GraphError ?? GraphError("open", .other("\(error)")))
    }
    let path = Registry.canonical(url.path)
    var options = options
    options.timeout = max(0, options.timeout)
    let opener = Opener(
      path: path, options: options, limits: limits,
      migrator: Migrator(model, migrations, cancellation: cancellation, progress: progress))
    switch Registry.shared.claim(path, waiting: options.timeout, cancellation) {
    case .cancelled: return .cancelled
    case .free, .open: break
    case .busy: return .locked(seconds: options.timeout)
    }
    defer { Registry.shared.release(path) }
    return opener.run(url)
  }

  private func run(_ url: URL) -> Opening<SQLiteStore> {
    do {
      return try attempt(url)
    } catch let refusal as Refusal {
      return refusal.opening.refusing()
    } catch is CancellationError {
      return .cancelled
    } catch let fault as SQLiteFault {
      return cancellation.isCancelled ? .cancelled : opening(for: fault).refusing()
    } catch let error as GraphError {
      return .failed(error)
    } catch {
      return .failed(GraphError("open", .other("\(error)")))
    }
  }

  private func attempt(_ url: URL) throws -> Opening<SQLiteStore> {
    var wasCreated = false
    // A file can appear or vanish between two looks, and then the opening tries again. The limit of
    // 1,000 attempts is for a file system that gives a file another identity at each look.
    for _ in 0..<1000 {
      try cancellation.check()
      guard let identity = FileCheck.identity(of: path) else {
        switch FileCheck.look(at: path, claimed: nil) {
        case .other, .database: continue
        case .refused(let opening): return opening.refusing()
        case .missing: break
        }
        guard options.creates, !options.isReadOnly else { return .missing }
        let shape = SchemaShape(model, in: SQLiteDialect.self)
        let creation = Creation(path: path, shape: shape, version: migrator.version)
        wasCreated = try creation.run(cancellation)
        continue
      }
      switch Registry.shared.claim(identity, waiting: options.timeout, cancellation) {
      case .cancelled: return .cancelled
      case .busy: return .locked(seconds: options.timeout)
      case .open(let store): return sharing(store)
      case .free: break
      }
      var opened: SQLiteStore?
      defer { Registry.shared.release(identity, opened) }
      let opening = try attempt(identity, url, wasCreated: wasCreated)
      opened = opening?.store
      if let opening { return opening }
    }
    throw GraphError("open \(path)", .inputOutput("the file is replaced again and again"))
  }

  /// Returns the result of opening a file that the given store of this process has open already.
  private func sharing(_ store: SQLiteStore) -> Opening<SQLiteStore> {
    let isSame =
      store.model.layouts.count == model.layouts.count
      && model.layouts.allSatisfy { store.model.index(of: $0.type) != nil }
    guard isSame else { return .otherSchema }
    return store.options.isReadOnly ? .readOnly(store) : .ready(store)
  }

  /// Opens the claimed file. Returns nil if another file, or none, is at the path by now.
  private func attempt(
    _ identity: FileCheck.Identity, _ url: URL, wasCreated: Bool
  ) throws -> Opening<SQLiteStore>? {
    switch FileCheck.look(at: path, claimed: identity) {
    case .other, .missing: return nil
    case .refused(let opening): return opening.refusing()
    case .database(let isWritable, let hasLog, let wasLeft, let hasJournal):
      if hasJournal, isWritable { try rehearse() }
      let isReadOnly = options.isReadOnly || !isWritable
      let mode: Connection.Mode =
        !isWritable ? .readOnly : options.isReadOnly && hasLog ? .keep : .read
      guard
        let (found, change) = try find(
          identity, mode, isReadOnly: isReadOnly, hasLog: hasLog, wasLeft: wasLeft)
      else { return nil }
      var options = options
      options.isReadOnly = isReadOnly
      let store = SQLiteStore(found, url: url, model: model, options: options, limits) {
        Registry.shared.ended(identity)
      }
      if wasCreated { return .created(store) }
      if isReadOnly { return .readOnly(store) }
      return change.map { .migrated(store, $0) } ?? .ready(store)
    }
  }

  private func find(
    _ identity: FileCheck.Identity, _ wanted: Connection.Mode, isReadOnly: Bool, hasLog: Bool,
    wasLeft: Bool
  ) throws -> (FoundFile, Migrated?)? {
    var mode = wanted
    var connection: Connection
    do {
      // If the file is refused, nothing is changed: its log stays, and no log is left if there was
      // none.
      connection = try open(mode, keepsLog: hasLog)
    } catch let fault as SQLiteFault
      where (mode == .readOnly || isReadOnly) && (fault.primary == 14 || fault.primary == 8)
      && !fault.isShortage
    {
      // Each change needs a log. So the file is taken as unchangeable if it has no log, and this
      // process cannot make one.
      guard FileCheck.size(of: path + "-wal") == 0 else { throw fault }
      mode = .immutable
      connection = try open(mode, keepsLog: hasLog)
    }
    // SQLite has opened the file that is at the path now. It must be the claimed file.
    guard !connection.handle.hasMoved, FileCheck.identity(of: path) == identity else { return nil }
    // If SQLite cannot open a file for writing, perhaps for lack of a descriptor, it opens the file
    // for reading only.
    guard mode.isForReadingOnly || !connection.handle.isReadOnly else {
      throw GraphError("open \(path)", .inputOutput("it could not be opened for writing"))
    }
    // Other processes must see that this process has the file open, before it reads the position in
    // `lineage_log`. They then log each later commit.
    let presence = Presence(path: path)
    do {
      var (metadata, cookie) = try examine(connection)
      if wasLeft { try check(connection) }
      let migration = FileMigration(migrator: migrator, limits: limits, connection: connection)
      let change = try migration.bringUpToDate(&metadata, cookie, isReadOnly: isReadOnly)
      try cancellation.check()
      // VACUUM INTO makes copies without a write-ahead log, and another program may have switched
      // the log off.
      if !isReadOnly, try connection.value("PRAGMA journal_mode") != .text("wal"),
        try connection.value("PRAGMA journal_mode = WAL") != .text("wal")
      {
        throw Refusal(opening: .locked(seconds: options.timeout))
      }
      connection.endWork()
      connection.handle.setKeepsLog(mode == .keep)
      let found = FoundFile(
        path: path, presence: presence, mode: mode, connection: connection, metadata: metadata,
        writer: Int64.random(in: 1...Int64.max))
      return (found, change)
    } catch {
      connection.close()
      presence.end()
      throw error
    }
  }

  /// Opens a connection whose statements end early when the opening is cancelled.
  private func open(_ mode: Connection.Mode, keepsLog: Bool) throws -> Connection {
    let connection = try Connection(
      path: path, mode: mode, waiting: options.timeout, for: cancellation, keepsLog: keepsLog)
    connection.handle.setReadsViews(false)
    return connection
  }

  /// Returns the file's metadata, and SQLite's count of changes to tables and indexes. Throws a
  /// refusal if this program cannot use the file.
  func examine(_ connection: Connection) throws -> (metadata: Metadata, cookie: Int) {
    // All reads are in one transaction, because each transaction takes locks (benchmark `open`).
    try connection.begin()
    defer { connection.endReading() }
    let cookie = try connection.cookie()
    let views = try views(connection)
    let metadata = try metadata(connection, views)
    let found = metadata.record.version
    if metadata.format > FormatSQL.version || found > migrator.version {
      throw Refusal(opening: .newer(found: found, known: migrator.version))
    }
    try refuseViews(views, metadata)
    return (metadata, cookie)
  }

  private func metadata(_ connection: Connection, _ views: [[StoredValue]]) throws -> Metadata {
    do {
      try refuseViews(views, nil)
      if let metadata = try Metadata(connection) { return metadata }
      throw try refusal(of: connection, .damaged("lineage_store is incomplete"))
    } catch let fault as SQLiteFault where fault.code == 1 {
      // No such table.
      throw try refusal(of: connection, .notAStore)
    }
  }

  /// Returns the refusal of a file whose metadata cannot be read.
  ///
  /// A file of a newer format may lack parts of the metadata, but it states the format's version.
  /// So a file that states a newer version is refused as newer. Any other file is refused with
  /// `opening`.
  private func refusal(
    of connection: Connection, _ opening: Opening<Never>
  ) throws -> Refusal {
    do {
      let format = try connection.value("SELECT value FROM lineage_store WHERE key = 'format'")
      if case .text(let text) = format, let number = Int(text), number > FormatSQL.version {
        return Refusal(opening: .newer(found: number, known: FormatSQL.version))
      }
    } catch let fault as SQLiteFault where fault.code == 1 {
      // There is no table with metadata at all.
    }
    return Refusal(opening: opening)
  }

  /// Throws a refusal if the file's structure is damaged. It is called only if the last process
  /// that used the file did not close it properly.
  private func check(_ connection: Connection) throws {
    migrator.progress(OpeningProgress(step: "check the file", number: 1, count: 1))
    let result = try connection.value("PRAGMA quick_check(1)")
    try cancellation.check()
    if result != .text("ok") {
      throw Refusal(opening: .damaged("\(result)"))
    }
  }

  /// Returns the reason why SQLite could not open the file. SQLite does not give the reason, so the
  /// file and its folder are examined.
  private func unopenable(_ fault: SQLiteFault) -> Opening<Never> {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    // Permissions are not the reason if the process or the system has no descriptor left.
    if fault.isShortage || SQLiteFault.isFull(fault.systemError) {
      return .failed(fault.error("open \(path)"))
    }
    if !SystemCalls.permits(F_OK, at: folder), errno == ENOENT {
      return .failed(GraphError("create \(path)", .inputOutput("there is no folder \(folder)")))
    }
    if !SystemCalls.permits(W_OK, at: folder) { return .noPermission("the folder \(folder)") }
    if SystemCalls.permits(F_OK, at: path), !SystemCalls.permits(R_OK, at: path) {
      return .noPermission("the file")
    }
    return .failed(fault.error("open \(path)"))
  }

  private func opening(for fault: SQLiteFault) -> Opening<Never> {
    switch fault.primary {
    case 9: return .cancelled
    case 5, 6, 15: return .locked(seconds: options.timeout)
    case 11: return .damaged(fault.message)
    case 26: return .notADatabase
    case 3, 23: return .noPermission(fault.message)
    case 14: return unopenable(fault)
    case 8 where fault.code == SQLITE_READONLY | 6 << 8:
      // SQLite cannot make the log.
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      return .noPermission("the folder \(folder) may not be written")
    default: return .failed(fault.error("open the store", waited: options.timeout))
    }
  }
}
