import Lineage

/// A tree in an actor of its own, with a list on screen that follows an import.
actor TreeHost {
  nonisolated let clock = IsolationClock()
  nonisolated var unownedExecutor: UnownedSerialExecutor { clock.asUnownedSerialExecutor() }

  nonisolated let store: SQLiteStore
  private let application = Application()
  private var list: LiveList<Song>?
  private var observation: ListObservation?
  private var isComplete: CheckedContinuation<Void, Never>?
  private var expected = Int.max

  init(store: SQLiteStore) { self.store = store }

  /// Provides a context at the root, shows its songs of high rank, and begins to apply deliveries.
  func show() async throws {
    let context = store.makeContext()
    application.provide(context)
    let list = try LiveList(
      FetchRequest<Song>(where: { $0.rank > Self.lowestShown }, sort: { $0.rank }), in: context)
    observation = list.observe { [unowned self] list, _ in
      self.assumeIsolated { $0.resumeIfComplete() }
    }
    self.list = list
  }

  func run() async { await application.run() }

  func end() { application.terminate() }

  /// Performs work in a context of its own on the tree's isolation.
  func foreground(_ work: @Sendable (ObjectContext) throws -> Void) throws {
    try work(store.makeContext())
  }

  /// Waits until the list shows at least `count` songs.
  func untilShown(_ count: Int) async {
    expected = count
    guard let list, list.count < count else { return }
    await withCheckedContinuation { isComplete = $0 }
  }

  private func resumeIfComplete() {
    guard let list, list.count >= expected else { return }
    isComplete?.resume()
    isComplete = nil
  }

  var answer: Answer { list.map { Array($0).answer } ?? [:] }

  /// The rank above which a song is shown. One song in a hundred has such a rank.
  static let lowestShown = Song.topRank * 0.99
}
