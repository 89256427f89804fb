extension LiveList {
  /// Whether the list has all rows of its request. False while rows are being loaded elsewhere, also
  /// after that has failed; see ``ListLoading/elsewhere``.
  ///
  /// Observers are called when this property changes, even if no row has changed. While it is false,
  /// `count` is the number of rows that are known, and an object that the list does not have may still
  /// come.
  ///
  /// - Complexity: O(1).
  public final var isComplete: Bool { loading == nil }

  /// The facts that observers know besides the rows.
  final var standing: ListStanding {
    ListStanding(isStale: problem != nil, isComplete: isComplete)
  }

  /// Returns whether the rows of a request are loaded elsewhere.
  final func loadsElsewhere(_ query: ListQuery<Value>) -> Bool {
    place == .elsewhere && query.readsOnlyItsRows && context.store != nil
  }

  /// Begins to load the rows of a new request or, if it is nil, the rows that the list lacks. A
  /// loading under way is cancelled.
  final func beginLoading(_ next: ListQuery<Value>? = nil) {
    guard let store = context.store else { return }
    endLoading()
    let loading = RowLoading(
      of: next, besides: next == nil ? rows.keys : [], replacing: replacingKeys)
    self.loading = loading
    context.family.loadings.add(self)
    loading.collector.begin((next ?? asked).query, in: store) { [inbox = context.session.inbox] in
      inbox.wakeAll()
    }
  }

  /// Begins to load the rows of a new request. The present rows stay until the first of them arrive,
  /// if they can follow changes until then.
  final func beginLoading(instead next: ListQuery<Value>) throws {
    if loadsElsewhere(asked), asked.refusal == nil {
      beginLoading(next)
    } else {
      try replace(with: [])
      asked = next
      beginLoading()
    }
    absorbAndTell()
  }

  /// The ids of the objects that replace rows of the store in the context.
  private var replacingKeys: some Sequence<Int64> {
    Overlay(asked.query.entity, of: context).objects.keys
  }

  /// Cancels the loading under way.
  final func endLoading() {
    loading?.collector.cancel()
    loading = nil
  }

  /// Takes in rows, and returns the outcome of the reader if they are the last ones.
  private func takeLoaded(_ limit: Int) throws -> Result<Void, any Error>? {
    let collector = loading?.collector
    // The moment is younger than the reader's. So each row that differs in it has an object here, or
    // the list hears of it.
    try context.hearForList()
    absorb(isRetrying: true)
    if let problem { throw problem }
    // If anything may have changed, the list has begun anew, with a reader that is younger.
    guard loading?.collector === collector else { return nil }
    loading?.begin(replacingKeys)
    // The first rows of the former request stay if the new one has them too, wherever they are in it.
    loading?.keep(rows.keys.prefix(limit / 2))
    guard let (keys, outcome) = loading?.take(limit) else { return nil }
    if let next = loading?.next {
      // Without an id and the end, the list would be empty for a moment.
      guard !keys.isEmpty || outcome != nil else { return nil }
      if case .failure? = outcome { return outcome }
      try replace(with: try arrivals(keys, in: next).map { $0.row.object.typed(Value.self) })
      asked = next
      loading?.didReplace()
    } else {
      take(try plan(for: keys, removing: PositionSet([])))
    }
    return outcome
  }
}

extension LiveList: LoadingFollower {
  package final var isLoading: Bool { loading?.hasFailed == false }

  package final var hasSlice: Bool { loading?.hasArrived ?? false }

  package final var entityName: String { Value.layout.name }

  package final func takeSlice(upTo limit: Int) {
    do {
      switch try takeLoaded(limit) {
      case .success?: loading = nil
      case .failure(let error)?: throw error
      case nil: break
      }
      context.family.operation.queueEnd(for: self)
    } catch {
      problem = error
      loading?.hasFailed = true
      loading?.collector.cancel()
      // The end of an operation would begin anew at once.
      callObservers()
    }
  }
}

extension LiveList {
  /// Whether a reader is still collecting ids. Tests check this.
  package final var isReading: Bool { loading?.collector.isReading ?? false }

  /// The request whose rows the list shows. Until the first rows of a new request have arrived, it is
  /// the former one. Tests check this.
  package final var shownRequest: FetchRequest<Value> { asked.request }
}
