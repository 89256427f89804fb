import Lineage

/// A tree in an actor of its own. It has a list, which shows some of the imported songs.
actor TreeHost {
  nonisolated let clock = IsolationClock()
  nonisolated var unownedExecutor: UnownedSerialExecutor { clock.asUnownedSerialExecutor() }

  nonisolated let store: SQLiteStore
  private let application = Application()
  private var list: LiveList<Song>?
  private var observation: ObjectObservation?
  private var isComplete: CheckedContinuation<Void, Never>?
  private var expected = Int.max

  init(store: SQLiteStore) { self.store = store }

  /// Provides a context at the root, and makes a list of the songs with a high rank.
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

  /// Performs work with a new context of the store, on the tree's isolation.
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
