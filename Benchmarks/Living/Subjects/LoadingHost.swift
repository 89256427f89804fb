import Lineage

/// A tree in an actor of its own. It has a list of all songs.
actor LoadingHost {
  nonisolated let clock = IsolationClock()
  nonisolated var unownedExecutor: UnownedSerialExecutor { clock.asUnownedSerialExecutor() }

  private let application = Application()
  private let context: ObjectContext
  private var list: LiveList<Song>?
  private var observation: ObjectObservation?
  private var waiting: (isOver: (LiveList<Song>) -> Bool, CheckedContinuation<Void, Never>)?

  init(store: SQLiteStore) {
    context = store.makeContext()
    application.provide(context)
  }

  func run() async { await application.run() }

  func end() {
    application.terminate()
    list = nil
  }

  /// Makes the list, and waits until it shows a screen of songs. Returns the time in nanoseconds.
  func show(_ loading: ListLoading) async throws -> Double {
    let start = ContinuousClock.now
    let list = try LiveList(
      FetchRequest<Song>(sort: { $0.rank }), in: context, loading: loading)
    observation = list.observe { [unowned self] _, _ in
      self.assumeIsolated { $0.resumeIfOver() }
    }
    self.list = list
    await wait { $0.count >= SongWindow.visible }
    return Stopwatch.nanoseconds(since: start)
  }

  /// Waits until the list has all songs.
  func untilComplete() async { await wait { $0.isComplete } }

  private func wait(_ isOver: @escaping (LiveList<Song>) -> Bool) async {
    guard let list, !isOver(list) else { return }
    await withCheckedContinuation { waiting = (isOver, $0) }
  }

  private func resumeIfOver() {
    guard let list, let (isOver, continuation) = waiting, isOver(list) else { return }
    waiting = nil
    continuation.resume()
  }

  var answer: Answer { list.map { Array($0).answer } ?? [:] }
}
