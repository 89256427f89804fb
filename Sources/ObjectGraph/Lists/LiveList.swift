/// A list of the objects of a request, which always has the rows that a new fetch would return. A list
/// that loads ``ListLoading/elsewhere`` has them when it is complete.
///
/// ```swift
/// let due = FetchRequest<Card>(where: { $0.rightCount < 3 }, sort: { $0.question })
/// let list = try LiveList(due, in: context, sections: { $0.deck.name })
/// let following = list.observe { list, changes in
///   print(list.count, "cards due;", changes.insertions.count, "new")
/// }
/// try context.insert(Card(question: "2 + 2?"))   // prints
/// ```
///
/// The list shows unsaved edits in its context and in the contexts above. It shows what contexts
/// below and beside its context have saved. After the context's `merge()`, it shows what other
/// contexts and processes have committed. Observers are called once for each operation, which is an
/// edit or a whole save, merge, undo or group.
///
/// If reading fails, the list keeps its rows, and its state is ``ListState/stale(_:)``. The list
/// tries to read again after the next operation, or when ``refresh()`` is called.
///
/// The list retains its context and its rows. Like the context, it must be used in one isolation
/// only; but its last reference may be released on any thread.
///
/// - Complexity: A change of one object in a list of *n* rows costs O(log *n*) comparisons, a
///   search in the ids, and moving ids and pointers in memory. It does not read the store. The rows
///   are fetched again if the request has a limit or an offset. They are also fetched again if more
///   than 64 objects changed at once, and their number exceeds half the number of rows. A change of
///   a related object also causes a fetch of the rows if the filter or the order uses such objects.
public class LiveList<Value: Entity> {
  /// The context whose objects the list shows.
  public final let context: ObjectContext

  /// The request, as the list evaluates it.
  final var asked: ListQuery<Value>
  final let place: ListLoading
  /// The loading of rows elsewhere; nil if the list has all rows.
  final var loading: RowLoading<Value>?
  /// The first terms of each order of the list, whose values divide the rows into sections.
  private let sectionTerms: [OrderTerm]
  final let sectionKeys: [SortKey]

  final var rows: ListRows<Value>
  final let visits: ListVisits
  final var news = ListNews()
  package final var isWaiting = false
  final var problem: (any Error)?

  /// The changes that each observer has not got yet, in the order in which the observers were
  /// added.
  final var ledgers: [WeakLedger] = []
  final var isTelling = false

  /// Creates a list of the objects of a request, and fetches these objects.
  ///
  /// `sections` lists keys, as in `sections: { $0.deck.name }`. The list is ordered by these keys
  /// first. Rows with the same values of the keys form a section. If a key is `folded` or `natural`,
  /// rows that are equal in this order have the same value, so that `A` and `a` form one section.
  ///
  /// A list of many thousand rows can be loaded on another thread; see ``ListLoading/elsewhere``.
  ///
  /// - Throws: The error of the fetch.
  ///
  /// - Complexity: One fetch of all rows, unless they are loaded elsewhere.
  public convenience init(
    _ request: FetchRequest<Value>, in context: ObjectContext, loading: ListLoading = .atOnce,
    @OrderingBuilder<Value> sections: (Columns<Value>) -> Ordering<Value> = { _ in Ordering() }
  ) throws {
    let terms = Ordering(sections).terms
    let ordered = request.ordered(by: terms)
    try self.init(of: ListQuery(ordered, in: context.model), in: context, terms, loading)
    if loadsElsewhere(asked) { beginLoading() } else { try fetchAgain() }
    context.addFollower(self)
  }

  /// Creates a list that has no rows yet and is not notified of changes.
  init(
    of asked: ListQuery<Value>, in context: ObjectContext, _ sectionTerms: [OrderTerm] = [],
    _ place: ListLoading = .atOnce
  ) {
    self.context = context
    self.asked = asked
    self.place = place
    self.sectionTerms = sectionTerms
    sectionKeys = Array(asked.sorter.keys.prefix(sectionTerms.count))
    visits = ListVisits()
    rows = ListRows(ListSections(keys: sectionKeys, visits))
  }

  deinit {
    // The deinit may run on any thread. It only ends loops and the loading, which is thread-safe.
    loading?.collector.cancel()
    for case .loop(let wake)? in ledgers.map({ $0.ledger?.listener }) { wake.end() }
  }

  /// Whether a merge notifies the list of changed rows in slices, each of at most 500 rows. If
  /// false, the merge notifies the list of all changed rows together.
  ///
  /// A list with a limit, an offset or related objects reads rows that have no object in its
  /// context. So a merge must not notify such a list of only a part of the changed rows.
  package var followsInSlices: Bool { asked.readsOnlyItsRows }

  /// Evaluates a new request of the list.
  ///
  /// - Throws: The reason why the list cannot show the request.
  func evaluate(_ request: FetchRequest<Value>) throws -> ListQuery<Value> {
    try ListQuery(request.ordered(by: sectionTerms), in: context.model)
  }

  /// Applies changes to the rows, if possible without fetching all rows.
  ///
  /// If the call throws, the rows are unchanged.
  func takeIn(_ heard: ListNews) throws {
    if loadsElsewhere(asked) {
      if heard.isEverything { beginLoading(loading?.next) }
      loading?.hear(heard.keys)
      take(try plan(for: heard.keys) { _ in true })
    } else if needsFetch(heard) {
      try fetchAgain(heard.keys)
    } else {
      take(try plan(for: heard.keys) { _ in true })
    }
  }
}

/// The state of a list, which says whether its rows are those that a new fetch would return.
public enum ListState {
  /// The rows are those that a new fetch would return.
  case current
  /// The rows are from the last successful read, because a later read failed with this error.
  case stale(any Error)

  /// Whether the last read failed.
  public var isStale: Bool {
    if case .stale = self { true } else { false }
  }
}

extension LiveList {
  /// The request of the list. Its order begins with the keys of the sections.
  ///
  /// Setting another request, as in a search while its text is typed, fetches the rows at once, or
  /// begins to load them elsewhere. Observers hear of the difference as of any other change, and the
  /// list keeps its sections.
  ///
  /// ```swift
  /// list.request.filter = Filter { $0.question.contains(text, .caseInsensitive) }
  /// ```
  ///
  /// If the fetch fails, or if the list cannot show the request, the list keeps its rows, and its
  /// state is ``ListState/stale(_:)``. It tries again after the next operation, or when another
  /// request is set. A ``WindowedList`` shows the first rows of the new request.
  ///
  /// - Complexity: Setting costs one fetch of all rows, unless they are loaded elsewhere, or nothing
  ///   if the request is the same.
  public final var request: FetchRequest<Value> {
    get { (loading?.next ?? asked).request }
    set {
      guard newValue != request || asked.refusal != nil else { return }
      do {
        let next = try evaluate(newValue)
        if loadsElsewhere(next) { return try beginLoading(instead: next) }
        asked = next
      } catch {
        asked.refuse(newValue, error)
      }
      endLoading()
      readAnew()
    }
  }

  /// The state of the list, after it has applied all changes.
  ///
  /// - Complexity: O(1), after the list has applied the changes since the last access; see
  ///   ``LiveList``. The first access in a moment (read transaction) also asks the store for
  ///   commits of other contexts and processes.
  public final var state: ListState {
    absorb()
    return problem.map { .stale($0) } ?? .current
  }

  /// Fetches all rows again, even if no object has changed. A list that loads
  /// ``ListLoading/elsewhere`` only begins to load them again.
  ///
  /// - Throws: The error of the fetch. The list is stale then.
  ///
  /// - Complexity: One fetch of all rows.
  public final func refresh() throws {
    readAnew()
    if let problem { throw problem }
  }

  /// Reads all rows again, and tells the observers of the difference.
  private func readAnew() {
    news.isEverything = true
    absorbAndTell()
  }

  /// Applies the changes that the list was notified of, and tells the observers.
  final func absorbAndTell() {
    absorb(isRetrying: true)
    context.family.operation.queueEnd(for: self)
    context.family.operation.tellOfEnd()
  }
}

extension LiveList: RandomAccessCollection {
  /// A position of a row, counted from zero across all sections.
  public typealias Index = Int
  /// The range of all positions.
  public typealias Indices = Range<Int>

  /// The position of the first row, which is zero.
  public final var startIndex: Int { 0 }

  /// The number of rows.
  ///
  /// - Complexity: O(1), after the list has applied the changes since the last access; see
  ///   ``LiveList``. The first access in a moment (read transaction) also asks the store for
  ///   commits of other contexts and processes.
  public final var endIndex: Int { count }

  /// The number of rows.
  ///
  /// - Complexity: O(1), after the list has applied the changes since the last access; see
  ///   ``LiveList``. The first access in a moment (read transaction) also asks the store for
  ///   commits of other contexts and processes.
  public final var count: Int {
    absorb()
    return rows.count
  }

  /// The object of the row at a position.
  ///
  /// - Complexity: O(1), after the list has applied the changes since the last access; see
  ///   ``LiveList``. The first access in a moment (read transaction) also asks the store for
  ///   commits of other contexts and processes.
  public final subscript(position: Int) -> Object<Value> {
    absorb()
    return rows.objects[position]
  }

  /// The objects in a range of positions. Later changes of the list do not affect the result.
  ///
  /// - Complexity: O(1), after the list has applied the changes since the last access; see
  ///   ``LiveList``. The first access in a moment (read transaction) also asks the store for
  ///   commits of other contexts and processes.
  public final subscript(positions: Range<Int>) -> ArraySlice<Object<Value>> {
    absorb()
    return rows.objects[positions]
  }

  /// Returns an iterator over the current rows. Later changes of the list do not affect it.
  ///
  /// - Complexity: O(1), after the list has applied the changes since the last access; see
  ///   ``LiveList``. The first access in a moment (read transaction) also asks the store for
  ///   commits of other contexts and processes.
  public final func makeIterator() -> IndexingIterator<[Object<Value>]> {
    absorb()
    return rows.objects.makeIterator()
  }

  /// Returns the position of an object; nil if the list does not contain the object.
  ///
  /// - Complexity: O(*n*) for a scan of *n* ids.
  public final func position(of object: Object<Value>) -> Int? {
    absorb()
    guard let position = rows.keys.position(of: object.key), rows.objects[position] === object
    else { return nil }
    return position
  }
}

extension FetchRequest {
  /// Returns the request with an order that begins with the given terms.
  fileprivate func ordered(by terms: [OrderTerm]) -> FetchRequest {
    guard !order.terms.starts(with: terms) else { return self }
    var ordered = self
    ordered.order = Ordering(terms: terms + order.terms)
    return ordered
  }
}
