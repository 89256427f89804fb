/// The objects of a request, kept as a new fetch would return them.
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
/// The list follows unsaved edits in its context, saves of contexts below, and edits and saves of
/// contexts above and beside it. Through the context's `merge()`, it follows commits of other
/// contexts and processes. Observers are told once for each operation: an edit, or a whole save,
/// merge, undo or group.
///
/// If reading fails, the list keeps its rows and is ``ListState/stale(_:)``. It tries again after
/// the next operation, or when ``refresh()`` is called.
///
/// The list retains its context and its rows. It is confined like the context. Only its last
/// reference may be released on any thread.
///
/// - Complexity: A change of one object in a list of *n* costs O(log *n*) comparisons, a search in
///   the ids, and moving ids and pointers in memory. It does not read the store. The rows are
///   fetched again if the request has a limit or an offset, or if half as many objects changed at
///   once as there are rows. They are also fetched again if the filter or order looks at other
///   objects and one of their entity changed.
public class LiveList<Value: Entity> {
  /// The context whose objects the list shows.
  public final let context: ObjectContext
  /// The request. The keys of sections lead its order.
  public final let request: FetchRequest<Value>

  final let query: Query
  final let matcher: Matcher
  final let sorter: Sorter
  /// The entities that decide about the rows through relations.
  final let reached: Set<Int>
  /// The properties that divide rows into sections.
  final let sectionPlaces: [ResolvedPath]

  final var rows: ListRows<Value>
  final let visits: ListVisits
  final var news = ListNews()
  package final var isWaiting = false
  final var problem: (any Error)?

  /// The changes that each observer was not told of yet, in the order in which observers were
  /// added.
  final var ledgers: [WeakLedger] = []
  final var isTelling = false

  /// Fetches the objects of a request, and follows their changes.
  ///
  /// `sections` lists keys, as in `sections: { $0.deck.name }`. They lead the order, and rows with
  /// the same values in them form a section.
  ///
  /// - Throws: The error of the fetch.
  ///
  /// - Complexity: One fetch of all rows.
  public convenience init(
    _ request: FetchRequest<Value>, in context: ObjectContext,
    @OrderingBuilder<Value> sections: (Columns<Value>) -> Ordering<Value> = { _ in Ordering() }
  ) throws {
    let leading = Ordering(sections)
    var ordered = request
    ordered.order = Ordering(terms: leading.terms + request.order.terms)
    try self.init(of: ordered, in: context, sections: leading.terms)
    try fetchAgain()
    context.addFollower(self)
  }

  /// Creates a list that has no rows yet.
  init(
    of request: FetchRequest<Value>, in context: ObjectContext, sections: [OrderTerm]
  ) throws {
    let model = context.model
    self.context = context
    self.request = request
    query = try request.query(in: model)
    matcher = try Matcher(query.condition, entity: query.entity, model: model)
    sorter = try Sorter(query.order, entity: query.entity, model: model)
    reached = try query.reachedEntities(model: model)
    let entity = query.entity
    sectionPlaces = try sections.map { try model.place($0.property, from: entity) }
    visits = ListVisits()
    let keys = zip(sectionPlaces, sections).map {
      SectionKey(order: $0.order, isDescending: $1.isDescending)
    }
    rows = ListRows(ListSections(keys: keys, visits))
  }

  deinit {
    // The deinit may run on any thread. It only uses the wakes of loops, which are thread-safe.
    for case .loop(let wake)? in ledgers.map({ $0.ledger?.listener }) { wake.end() }
  }

  /// Whether a merge reaches the list slice by slice.
  ///
  /// A list with a limit, an offset or related objects reads rows that its context does not hold.
  /// So it must be told at once which of them others have changed.
  package var followsInSlices: Bool {
    reached.isEmpty && query.limit == nil && query.offset == 0
  }

  /// Applies news to the rows, without a fetch of all rows where possible.
  ///
  /// If it throws, the rows are unchanged.
  func takeIn(_ heard: ListNews) throws {
    if needsFetch(heard) {
      try fetchAgain(heard.keys)
    } else {
      take(try plan(for: heard.keys) { _ in true })
    }
  }
}

/// The state of a list: whether its rows are those that a new fetch would return.
public enum ListState {
  /// The rows are those that a new fetch would return.
  case current
  /// The rows are those of the last success, because reading failed with this error.
  case stale(any Error)

  /// Whether reading failed.
  public var isStale: Bool {
    if case .stale = self { true } else { false }
  }
}

extension LiveList {
  /// The state of the list, after it has applied all changes.
  public final var state: ListState {
    absorb()
    return problem.map { .stale($0) } ?? .current
  }

  /// Fetches all rows again, even if no change was reported.
  ///
  /// - Throws: The error of the fetch. The list is stale then.
  ///
  /// - Complexity: One fetch of all rows.
  public final func refresh() throws {
    news.isEverything = true
    absorb(isRetrying: true)
    context.family.wait(self)
    context.family.tellOfEnd()
    if let problem { throw problem }
  }
}

extension LiveList: RandomAccessCollection {
  /// A position, counted from zero across sections.
  public typealias Index = Int
  /// The positions, which have no gaps.
  public typealias Indices = Range<Int>

  /// The position of the first row, which is zero.
  public final var startIndex: Int { 0 }

  /// The number of rows.
  public final var endIndex: Int {
    absorb()
    return rows.count
  }

  /// The object of the row at a position.
  public final subscript(position: Int) -> Object<Value> {
    absorb()
    return rows.objects[position]
  }

  /// The objects of a range of rows, as they are now.
  public final subscript(positions: Range<Int>) -> ArraySlice<Object<Value>> {
    absorb()
    return rows.objects[positions]
  }

  /// Returns an iterator over the current rows. Later changes of the list do not affect it.
  public final func makeIterator() -> IndexingIterator<[Object<Value>]> {
    absorb()
    return rows.objects.makeIterator()
  }

  /// Returns the position of an object; nil if the list does not contain it.
  ///
  /// - Complexity: O(*n*), a scan of the ids of *n* rows.
  public final func position(of object: Object<Value>) -> Int? {
    absorb()
    guard let position = rows.keys.position(of: object.key), rows.objects[position] === object
    else { return nil }
    return position
  }
}
