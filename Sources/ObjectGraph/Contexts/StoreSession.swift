/// The store as all contexts of one root read it, in one moment (read transaction) at a time.
final class StoreSession {
  /// The store; nil in a draft.
  let store: (any ObjectStore)?
  /// The inbox to which the store posts the commits of others.
  let inbox = Inbox()
  private let columnCount: Int
  private var reader: (any StoreReader)?
  /// The conditions under which the contexts read. Each change is passed to the reader.
  var terms = ReadTerms() { didSet { reader?.setTerms(terms) } }
  /// The rows that the commit under way sees, while it asks for the resolution of its conflicts; nil
  /// at other times.
  private var commit: CommitRows?
  /// The number of calls of ``read(_:)`` that are running.
  private var depth = 0
  /// The prefetched objects, retained until the moment ends.
  private var kept: [GraphObject] = []
  /// A token of the store; nil if none was requested. While the token is retained, the store posts
  /// the commits of other processes.
  private var telling: AnyObject?
  private var madeCells: CellRow?

  /// The rows as a commit sees them, and the memory of the last one.
  private struct CommitRows {
    let row: CommitRow
    let arena = CellArena()
  }

  init(_ store: (any ObjectStore)?, _ model: Model) {
    self.store = store
    columnCount = model.columnCount
    store?.subscribe(inbox)
  }

  // MARK: Rows

  /// Returns the reader, which is made at the first read; nil in a draft.
  @inline(__always)
  func currentReader() throws -> (any StoreReader)? { try reader ?? makeReader() }

  private func makeReader() throws -> (any StoreReader)? {
    reader = try store?.makeReader()
    reader?.setTerms(terms)
    return reader
  }

  /// The cells of the row that is being read.
  @inline(__always)
  var cells: CellRow { madeCells ?? makeCells() }

  @inline(never)
  private func makeCells() -> CellRow {
    let cells = CellRow(count: columnCount)
    madeCells = cells
    return cells
  }

  /// Loads the store's row with an id into the cells, or the row that the commit under way sees.
  /// Returns false if there is none.
  func readRow(_ key: Int64, of entity: Int) throws -> Bool {
    if let commit {
      guard let values = try commit.row(entity, key) else { return false }
      cells.load(values, commit.arena)
      return true
    }
    return try currentReader()?.row(key, of: entity, into: cells) ?? false
  }

  /// The greatest number of rows in one announcement.
  static let announcedAtOnce = 500

  /// Announces to the store the ids of the rows that are read next. A store on a network can then
  /// read all of them in one round trip.
  func announce(_ keys: [Int64], of entity: Int) throws {
    // A commit that asks for the resolution of its conflicts reads on its own connection.
    guard keys.count > 1, commit == nil, let reader = try currentReader() else { return }
    for start in stride(from: 0, to: keys.count, by: Self.announcedAtOnce) {
      reader.announce(
        Array(keys[start..<min(start + Self.announcedAtOnce, keys.count)]), of: entity)
    }
  }

  /// Runs a closure that reads rows as a commit sees them.
  func reading<Result>(_ row: @escaping CommitRow, _ body: () throws -> Result) rethrows -> Result {
    commit = CommitRows(row: row)
    defer { commit = nil }
    return try body()
  }

  // MARK: Moments

  /// Runs a closure in one moment (read transaction), which begins and ends with the outermost call.
  func read<Result>(_ body: () throws -> Result) rethrows -> Result {
    if depth == 0 { endMoment() }
    depth += 1
    defer {
      depth -= 1
      if depth == 0 { endMoment() }
    }
    return try keepingMoment(body)
  }

  /// Runs a closure whose reads all see one moment (read transaction). The store does not end this
  /// moment between two reads, even if another reader needs the connection.
  func keepingMoment<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = terms.keepsMoment
    terms.keepsMoment = true
    defer { terms.keepsMoment = before }
    return try body()
  }

  /// Runs a closure whose reads finish even if their task is cancelled.
  func readingToEnd<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = terms.runsToEnd
    terms.runsToEnd = true
    defer { terms.runsToEnd = before }
    return try body()
  }

  /// Retains prefetched objects until the moment ends.
  func keep(_ objects: [GraphObject]) { kept += objects }

  /// Ends the moment (read transaction) and releases the prefetched objects, even if `read` is
  /// running. The next read sees the newest state of the store.
  func endMoment() {
    kept.removeAll()
    reader?.end()
  }

  // MARK: News

  /// Registers a closure that is called, on any thread, each time another context or process has
  /// committed to the store. The registration ends when `owner` is released.
  func onNews(for owner: any AnyObject & Sendable, _ call: @escaping @Sendable () -> Void) {
    guard let store else { return }
    inbox.onPost(for: owner, call)
    if telling == nil { telling = store.observeForeignCommits() }
  }

  /// Removes a closure that was registered for an owner.
  func forgetNews(for owner: any AnyObject & Sendable) {
    if !inbox.forgetPost(for: owner) { telling = nil }
  }
}

extension ObjectContext {
  @inline(__always)
  func currentReader() throws -> (any StoreReader)? { try session.currentReader() }

  /// The cells of the row that is being read.
  @inline(__always)
  var cells: CellRow { session.cells }

  /// Runs a closure whose reads finish even if their task is cancelled.
  func readingToEnd<Result>(_ body: () throws -> Result) rethrows -> Result {
    try session.readingToEnd(body)
  }

  /// Runs a closure whose reads all see one moment (read transaction), which the store does not end.
  func keepingMoment<Result>(_ body: () throws -> Result) rethrows -> Result {
    try session.keepingMoment(body)
  }

  /// Runs a closure in one moment (read transaction), so that all reads in the closure see the same
  /// commits.
  ///
  /// - Complexity: That of the closure.
  public func read<Result>(_ body: () throws -> Result) rethrows -> Result {
    try session.read(body)
  }

  /// Registers a closure that is called each time another context or process has committed to the
  /// store. The registration ends when `owner` is released. The closure may be called on any
  /// thread.
  package func onNews(
    for owner: any AnyObject & Sendable, _ call: @escaping @Sendable () -> Void
  ) {
    session.onNews(for: owner, call)
  }

  /// Removes a closure that was registered for an owner.
  package func forgetNews(for owner: any AnyObject & Sendable) { session.forgetNews(for: owner) }
}
