/// A live list of a million rows that holds only those around what is shown.
///
/// ```swift
/// let log = try WindowedList(FetchRequest<Entry>(sort: { $0.time.descending }), in: context)
/// log.count                 // of the window
/// try log.loadLater()       // scroll on
/// try log.jump(to: entry)   // somewhere else
/// try log.total()           // of the store, when asked for
/// ```
///
/// The order is that of one indexed property; ids break ties in the same direction. Positions and
/// index paths are relative to the window, and moving the window is told like other changes: rows
/// that enter it are insertions, those that leave it deletions.
///
/// It follows like any live list. A change inside the window is applied without reading; a change
/// outside of it costs a comparison. When much of the window was deleted, it is filled again from
/// what comes after, then from what comes before.
///
/// - Complexity: Rows read for a change, a move or a jump: at most the capacity and as many as have
///   unsaved changes, however many there are in the store. A filter that admits one row of many makes
///   a store look at more, unless it is on the order's property.
public final class WindowedList<Value: Entity>: LiveList<Value> {
  /// The greatest number of rows that the window holds.
  public let capacity: Int

  let axis: ListAxis
  /// The window has the rows from here on; nil if that is from the first of all.
  var lower: ListPosition?
  /// The window has the rows up to here; nil if that is up to the last of all.
  var upper: ListPosition?

  /// A window on the first objects of a request; a limit and an offset do not count.
  ///
  /// - Throws: If the order is not by one indexed property of the objects' own, or what the fetch
  ///   throws.
  public init(
    _ request: FetchRequest<Value>, in context: ObjectContext, capacity: Int = 256
  ) throws {
    axis = try ListAxis(request)
    self.capacity = Swift.max(capacity, 8)
    var windowed = request
    (windowed.limit, windowed.offset) = (nil, 0)
    windowed.order = Ordering(terms: axis.order(reversed: false))
    try super.init(of: windowed, in: context, sections: [])
    try showStart()
    context.addFollower(self)
  }

  /// Rows of a new window, so that some can come in before others must leave.
  var initialCount: Int { capacity / 2 }

  /// Whether there may be rows before the window; if not, its first row is the first of all.
  public var hasEarlier: Bool {
    absorb()
    return lower != nil
  }

  /// Whether there may be rows after the window; if not, its last row is the last of all.
  public var hasLater: Bool {
    absorb()
    return upper != nil
  }

  /// The number of rows in the window and outside of it.
  ///
  /// - Complexity: A store counts; without an index for the filter it looks at each row.
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
