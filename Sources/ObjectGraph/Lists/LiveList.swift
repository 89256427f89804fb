/// The objects of a request, kept as a fresh fetch would find them.
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
/// The list follows unsaved edits in its context, saves of contexts below, edits and saves of those
/// above and beside it, and, by the context's `merge()`, commits of other contexts and processes.
/// Whoever observes is told once for each operation: an edit, or a whole save, merge, undo or group.
///
/// If reading fails, the list keeps the rows it has and is `stale`. It tries again with the next
/// operation, or when `refresh()` is called.
///
/// The list keeps its context and its rows. It is confined like the context; only its last
/// reference may be dropped anywhere.
///
/// - Complexity: A change of one object in a list of *n* costs O(log *n*) comparisons, and a search
///   and a move of ids and pointers in memory; it does not read the store. The rows are fetched again
///   if the request has a limit or an offset, if its filter or order looks at other objects and one of
///   their entity changed, or if half as many objects changed at once as there are rows.
public class LiveList<Value: Entity> {
  /// The context whose objects the list shows.
  public final let context: ObjectContext
  /// What the list shows; the keys of sections lead the order.
  public final let request: FetchRequest<Value>

  final let query: Query
  final let matcher: Matcher
  final let sorter: Sorter
  /// Entities that decide about rows by way of relations.
  final let reached: Set<Int>
  /// What rows of one section agree in.
  final let sectionPlaces: [ResolvedPath]

  final var rows: ListRows<Value>
  final let visits: ListVisits
  final var news = ListNews()
  package final var isWaiting = false
  final var problem: (any Error)?

  /// What those who follow the list have not been told yet, in the order in which they came.
  final var ledgers: [WeakLedger] = []
  final var isTelling = false

  /// Fetches the objects of a request, and follows.
  ///
  /// With `sections`, rows that agree in the keys it lists are a section, and those keys lead the
  /// order: `sections: { $0.deck.name }`.
  ///
  /// - Throws: What the fetch throws.
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

  /// A list without rows yet.
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
    // May run on any thread: it touches nothing but what is made for that.
    for case .loop(let wake)? in ledgers.map({ $0.ledger?.listener }) { wake.end() }
  }

  package var followsInSlices: Bool {
    reached.isEmpty && query.limit == nil && query.offset == 0
  }

  /// Reads what is new, for as long as the list can without a fetch of everything.
  ///
  /// What throws leaves the rows as they are.
  func takeIn(_ heard: ListNews) throws {
    if needsFetch(heard) {
      try fetchAgain(heard.keys)
    } else {
      take(try plan(for: heard.keys) { _ in true })
    }
  }
}

/// Whether a list's rows are those of a fresh fetch.
public enum ListState {
  /// They are.
  case current
  /// They are those of the last success, because reading failed with this error.
  case stale(any Error)

  /// Whether reading failed.
  public var isStale: Bool {
    if case .stale = self { true } else { false }
  }
}

extension LiveList {
  /// Whether the rows are those of a fresh fetch.
  public final var state: ListState {
    absorb()
    return problem.map { .stale($0) } ?? .current
  }

  /// Fetches everything again, whether something was told to have changed or not.
  ///
  /// - Throws: What the fetch throws; then the list is stale.
  public final func refresh() throws {
    news.isEverything = true
    absorb(isRetrying: true)
    context.family.wait(self)
    context.family.tellOfEnd()
    if let problem { throw problem }
  }
}

extension LiveList: RandomAccessCollection {
  /// Positions count from zero, across sections.
  public typealias Index = Int
  /// Positions without gaps.
  public typealias Indices = Range<Int>

  /// Zero.
  public final var startIndex: Int { 0 }

  /// The number of rows.
  public final var endIndex: Int {
    absorb()
    return rows.count
  }

  /// The object of a row.
  public final subscript(position: Int) -> Object<Value> {
    absorb()
    return rows.objects[position]
  }

  /// The objects of some rows as they are now.
  public final subscript(positions: Range<Int>) -> ArraySlice<Object<Value>> {
    absorb()
    return rows.objects[positions]
  }

  /// The rows as they are now, whatever happens to the list meanwhile.
  public final func makeIterator() -> IndexingIterator<[Object<Value>]> {
    absorb()
    return rows.objects.makeIterator()
  }

  /// Where an object is; nil if it is not in the list.
  ///
  /// - Complexity: O(*n*), a scan of ids without a branch for each.
  public final func position(of object: Object<Value>) -> Int? {
    absorb()
    guard let position = rows.keys.position(of: object.key), rows.objects[position] === object
    else { return nil }
    return position
  }
}
