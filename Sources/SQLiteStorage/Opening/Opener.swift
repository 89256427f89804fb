import CLineageSQLite
import Foundation
import LineageFiles
import ObjectGraph
import SQLStorage

/// One opening of a file, which runs on a thread of its own.
struct Opener {
  let url: URL
  let path: String
  let options: StoreOptions
  let limits: FileLimits
  let migrator: Migrator

  var model: Model { migrator.model }
  var cancellation: Cancellation { migrator.cancellation }

  init(_ url: URL, _ options: StoreOptions, _ limits: FileLimits, _ migrator: Migrator) throws {
    guard url.namesFile else {
      throw GraphError("open \(url.withoutCredentials.absoluteString)", .notAFile)
    }
    self.url = url
    path = Self.canonical(url.path)
    var options = options
    options.timeout = max(0, options.timeout)
    self.options = options
    self.limits = limits
    self.migrator = migrator
  }

  /// Returns the path of a file without symbolic links. The file need not exist. `hops` is the
  /// number of links that were resolved so far.
  private static func canonical(_ path: String, hops: Int = 0) -> String {
    if let resolved = SystemCalls.resolvedPath(path) { return resolved }
    let url = URL(fileURLWithPath: path)
    if hops < 40, let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
      let next = URL(fileURLWithPath: target, relativeTo: url.deletingLastPathComponent())
      return canonical(next.path, hops: hops + 1)
    }
    guard let parent = SystemCalls.resolvedPath(url.deletingLastPathComponent().path) else {
      return url.path
    }
    return parent + "/" + url.lastPathComponent
  }

  func run() throws -> Opening<SQLiteStore> {
    do {
      return try attempt()
    } catch let fault as SQLiteFault {
      try cancellation.check()
      throw Refusal(opening(for: fault))
    }
  }

  private func attempt() throws -> Opening<SQLiteStore> {
    var wasCreated = false
    // A file can appear or vanish between two looks, and then the opening tries again. The limit of
    // 1,000 attempts is for a file system that gives a file another identity at each look.
    for _ in 0..<1000 {
      try cancellation.check()
      guard let identity = FileCheck.identity(of: path) else {
        guard case .missing = try FileCheck.look(at: path, claimed: nil) else { continue }
        guard options.creates, !options.isReadOnly else { return .missing }
        let shape = SchemaShape(model, in: SQLiteDialect.self)
        let creation = Creation(path: path, shape: shape, version: migrator.version)
        wasCreated = try creation.run(cancellation)
        continue
      }
      let registry = Registry.shared
      if let store = try registry.claim(identity, waiting: options.timeout, cancellation) {
        return sharing(store, wasCreated: wasCreated)
      }
      var opening: Opening<SQLiteStore>?
      defer { registry.release(identity, opening?.store) }
      opening = try open(identity, wasCreated: wasCreated)
      if let opening { return opening }
    }
    throw GraphError("open \(path)", .inputOutput("the file is replaced again and again"))
  }

  /// Returns the result of opening a file that the given store of this process has open already.
  private func sharing(_ store: SQLiteStore, wasCreated: Bool) -> Opening<SQLiteStore> {
    let isSame =
      store.model.layouts.count == model.layouts.count
      && model.layouts.allSatisfy { store.model.index(of: $0.type) != nil }
    guard isSame else { return .otherSchema }
    if store.options.isReadOnly { return .readOnly(store) }
    return wasCreated ? .created(store) : .ready(store)
  }

  /// Opens the claimed file. Returns nil if another file, or none, is at the path by now.
  private func open(
    _ identity: FileCheck.Identity, wasCreated: Bool
  ) throws -> Opening<SQLiteStore>? {
    guard case .database(let file) = try FileCheck.look(at: path, claimed: identity) else {
      return nil
    }
    if file.hasJournal, file.isWritable { try rehearse() }
    var options = options
    options.isReadOnly = options.isReadOnly || !file.isWritable
    let connection = try connect(to: file, isReadOnly: options.isReadOnly)
    defer { connection.setWork(nil) }
    do {
      // SQLite has opened the file that is at the path now. It must be the claimed file.
      guard !connection.handle.hasMoved, FileCheck.identity(of: path) == identity else {
        connection.close()
        return nil
      }
      // If SQLite cannot open a file for writing, perhaps for lack of a descriptor, it opens the
      // file for reading only.
      guard connection.mode.isForReadingOnly || !connection.handle.isReadOnly else {
        throw GraphError("open \(path)", .inputOutput("it could not be opened for writing"))
      }
      // Other processes must see that this process has the file open, before it reads the position
      // in `lineage_log`. They then log each later commit.
      connection.presence = Presence(path: path) { Registry.shared.ended(identity) }
      var (metadata, cookie) = try examine(connection)
      if file.wasLeft { try check(connection) }
      let migration = FileMigration(migrator: migrator, limits: limits, connection: connection)
      let change = try migration.bringUpToDate(&metadata, cookie, isReadOnly: options.isReadOnly)
      try cancellation.check()
      // VACUUM INTO makes copies without a write-ahead log, and another program may have switched
      // the log off.
      if !options.isReadOnly, try connection.value("PRAGMA journal_mode") != .text("wal"),
        try connection.value("PRAGMA journal_mode = WAL") != .text("wal")
      {
        throw Refusal(.locked(seconds: options.timeout))
      }
      connection.handle.setKeepsLog(connection.mode == .keep)
      let pool = Pool(path: path, timeout: options.timeout, first: connection)
      let store = SQLiteStore(pool, metadata, url: url, model: model, options: options, limits)
      if wasCreated { return .created(store) }
      if options.isReadOnly { return .readOnly(store) }
      return change.map { .migrated(store, $0) } ?? .ready(store)
    } catch {
      connection.close()
      throw error
    }
  }

  /// Opens a connection whose statements end early when the opening is cancelled. If the file is
  /// refused later, nothing is changed: its log stays, and no log is left if there was none.
  private func connect(to file: FileCheck, isReadOnly: Bool) throws -> Connection {
    func open(_ mode: Connection.Mode) throws -> Connection {
      try Connection(
        path: path, mode: mode, waiting: options.timeout, for: cancellation, keepsLog: file.hasLog)
    }
    do {
      return try open(!file.isWritable ? .readOnly : isReadOnly && file.hasLog ? .keep : .read)
    } catch let fault as SQLiteFault
      where isReadOnly && [SQLITE_READONLY, SQLITE_CANTOPEN].contains(fault.primary)
      && !fault.isShortage
    {
      // Each change needs a log. So the file is taken as unchangeable if it has no log, and this
      // process cannot make one.
      guard FileCheck.size(of: path + "-wal") == 0 else { throw fault }
      return try open(.immutable)
    }
  }

  /// Returns the file's metadata, and SQLite's count of changes to tables and indexes. Throws a
  /// refusal if this program cannot use the file.
  func examine(_ connection: Connection) throws -> (metadata: Metadata, cookie: Int) {
    // All reads are in one transaction, because each transaction takes locks (benchmark `open`).
    try connection.begin()
    defer { connection.endReading() }
    let cookie = try connection.cookie()
    let views = try views(connection)
    try refuseViews(views, of: ["lineage_store", "lineage_log", ReceiptTable.name])
    let metadata = try metadata(connection)
    let found = metadata.record.version
    guard found <= migrator.version else {
      throw Refusal(.newer(found: found, known: migrator.version))
    }
    if !views.isEmpty {
      try refuseViews(views, of: SchemaShape(text: metadata.record.schema).tables.map(\.name))
    }
    return (metadata, cookie)
  }

  private func metadata(_ connection: Connection) throws -> Metadata {
    do {
      let metadata = Result { try Metadata(connection) }
      if case .success(let metadata?) = metadata {
        try checkFormat(metadata.format)
        return metadata
      }
      // A file of a newer format may lack parts of the metadata, but it states its format.
      let format = try connection.value("SELECT value FROM lineage_store WHERE key = 'format'")
      if let number = format.text.flatMap({ Int($0) }) { try checkFormat(number) }
      _ = try metadata.get()
      throw Refusal(.damaged("lineage_store is incomplete"))
    } catch let fault as SQLiteFault where fault.code == SQLITE_ERROR {
      // No such table.
      throw Refusal(.notAStore)
    }
  }

  private func checkFormat(_ format: Int) throws {
    guard format <= FormatSQL.version else {
      throw Refusal(.newer(found: format, known: FormatSQL.version))
    }
  }

  /// Throws a refusal if the file's structure is damaged. It is called only if the last process
  /// that used the file did not close it properly.
  private func check(_ connection: Connection) throws {
    migrator.progress(OpeningProgress(step: "check the file", number: 1, count: 1))
    let result = try connection.value("PRAGMA quick_check(1)")
    try cancellation.check()
    if result != .text("ok") { throw Refusal(.damaged("\(result)")) }
  }

  private func opening(for fault: SQLiteFault) -> Opening<Never> {
    switch fault.primary {
    case SQLITE_INTERRUPT: return .cancelled
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .locked(seconds: options.timeout)
    case SQLITE_CORRUPT: return .damaged(fault.message)
    case SQLITE_NOTADB: return .notADatabase
    case SQLITE_PERM, SQLITE_AUTH: return .noPermission(fault.message)
    case SQLITE_CANTOPEN: return unopenable(fault)
    case SQLITE_READONLY where fault.code == SQLITE_READONLY | 6 << 8:
      // SQLite cannot make the log.
      return .noPermission("the folder \(folder) may not be written")
    default: return .failed(fault.error("open the store", waited: options.timeout))
    }
  }

  private var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  /// Returns the reason why SQLite could not open the file. SQLite does not give the reason, so the
  /// file and its folder are examined.
  private func unopenable(_ fault: SQLiteFault) -> Opening<Never> {
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
}
