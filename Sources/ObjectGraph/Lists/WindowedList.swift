/// A live list that has only a window of its rows in memory. It is meant for lists with as many as
/// a million rows.
///
/// ```swift
/// let log = try WindowedList(FetchRequest<Entry>(sort: { $0.time.descending }), in: context)
/// log.count                 // of the window
/// try log.loadLater()       // scroll on
/// try log.jump(to: entry)   // somewhere else
/// try log.total()           // of the store, when asked for
/// ```
///
/// The list is ordered by one indexed property. Rows with equal values are ordered by id, in the
/// same direction. Positions and index paths are relative to the window. If the window moves,
/// observers get insertions for the rows that enter the window, and deletions for the rows that
/// leave it.
///
/// The list is updated like any live list. A change inside the window is applied without reading,
/// and a change outside the window costs one comparison. If many rows of the window were deleted,
/// rows after the window are added, then rows before it.
///
/// - Complexity: A change, a move or a jump reads at most as many rows as the capacity and the
///   unsaved changes together, whatever the number of rows in the store. If the filter matches few
///   rows, a store also visits rows that do not match, unless the filter tests the property of the
///   order.
public final class WindowedList<Value: Entity>: LiveList<Value> {
  /// The greatest number of rows in the window. It is at least 8.
  public let capacity: Int

  private(set) var axis: ListAxis
  /// The position at which the window begins; nil if the window begins with the list's first row.
  var lower: ListPosition?
  /// The position at which the window ends; nil if the window ends with the list's last row.
  var upper: ListPosition?

  /// Creates a window on the first objects of a request. The request's limit and offset are
  /// ignored.
  ///
  /// - Throws: An error if the order is neither by id nor by one indexed property of the objects
  ///   themselves, or by the last property of an ``Index`` or ``Unique`` whose other properties the
  ///   filter fixes with `==`. An error if that property is a `Decimal`, if the order is `folded` or
  ///   `natural`, or if the engine of the store cannot test all of the filter. Otherwise, the error of
  ///   the fetch.
  /// - Complexity: The store reads at most half of the capacity, plus the number of rows with
  ///   unsaved changes.
  public init(
    _ request: FetchRequest<Value>, in context: ObjectContext, capacity: Int = 256
  ) throws {
    axis = try ListAxis(request)
    self.capacity = Swift.max(capacity, 8)
    try super.init(of: Self.asked(request, axis, in: context), in: context)
    try showStart()
    context.addFollower(self)
  }

  /// Evaluates a request in the order of a window.
  ///
  /// - Throws: An error if the engine of the store cannot find the rows of a page itself. The list
  ///   would then read all rows of the entity for each page.
  private static func asked(
    _ request: FetchRequest<Value>, _ axis: ListAxis, in context: ObjectContext
  ) throws -> ListQuery<Value> {
    var windowed = request
    (windowed.limit, windowed.offset) = (nil, 0)
    windowed.order = Ordering(terms: axis.order(reversed: false))
    let asked = try ListQuery(windowed, in: context.model)
    let name = Value.layout.name
    for stretch in axis.stretches(from: axis.least, including: false, reversed: false) {
      var page = asked.query
      page.condition = .and([page.condition, stretch].compactMap(\.self))
      guard try context.currentReader()?.canPage(page) == false else { continue }
      let problem = Problem("filter", "the store cannot page through such a request")
      throw GraphError(
        "page through \(name)", .invalid([InvalidObject(object: name, problems: [problem])]))
    }
    return asked
  }

  override func evaluate(_ request: FetchRequest<Value>) throws -> ListQuery<Value> {
    let axis = try ListAxis(request)
    let asked = try Self.asked(request, axis, in: context)
    self.axis = axis
    (lower, upper) = (nil, nil)
    return asked
  }

  /// The number of rows in a new window: half of the capacity, so that rows can be added before any
  /// row has to be removed.
  var initialCount: Int { capacity / 2 }

  /// Whether there may be rows before the window. If false, the window begins with the first row of
  /// the list.
  ///
  /// - Complexity: O(1), after the list has applied the changes since the last access; see
  ///   ``LiveList``. The first access in a moment (read transaction) also asks the store for
  ///   commits of other contexts and processes.
  public var hasEarlier: Bool {
    absorb()
    return lower != nil
  }

  /// Whether there may be rows after the window. If false, the window ends with the last row of the
  /// list.
  ///
  /// - Complexity: O(1), after the list has applied the changes since the last access; see
  ///   ``LiveList``. The first access in a moment (read transaction) also asks the store for
  ///   commits of other contexts and processes.
  public var hasLater: Bool {
    absorb()
    return upper != nil
  }

  /// Returns the number of all rows of the list, inside and outside the window.
  ///
  /// - Throws: The error of counting.
  /// - Complexity: One count by the store, which looks at each row if the filter has no index.
  public func total() throws -> Int { try context.count(request) }

  package override var followsInSlices: Bool { false }

  override func takeIn(_ heard: ListNews) throws {
    if needsFetch(heard) { return try readAgain(heard.keys) }
    take(try plan(for: heard.keys, admitting: isInside))
    do {
      try trim(at: .end)
      try fill()
    } catch {
      news.isEverything = true
      throw error
    }
  }

  private func isInside(_ object: Object<Value>) throws -> Bool {
    let position = try axis.position(of: object)
    if let lower, axis.order(position, lower) < 0 { return false }
    if let upper, axis.order(position, upper) > 0 { return false }
    return true
  }
}
