/// A value that is computed from a context, such as a count or a sum, and that follows each change.
///
/// ```swift
/// let due = try LiveValue(in: context) { try $0.count(Card.self, where: { $0.rightCount < 3 }) }
/// token = due.observe { count in badge = count }
/// ```
///
/// The value is computed again after an operation that may have changed it, and at most once for
/// each operation. The context notes what the closure reads: the properties in the filters and
/// orders of its counts, sums and other figures, and all properties of the entities of which it
/// fetches objects or which a statement in SQL reads. An operation that has touched nothing of this
/// computes nothing. In rows that no context has an object of, and that others have changed, all
/// properties count as changed.
///
/// The closure must read all it needs from the context that it gets. It does not hear of changes of
/// objects that it has captured, so look them up inside. It must not change objects: an attempt
/// fails with ``GraphError/Reason/mustOnlyRead(_:)``. If it throws, ``value`` throws the same error,
/// and the closure is called again after the next operation.
///
/// The live value retains its context. Like the context, it must be used in one isolation only; but
/// its last reference may be released on any thread.
public final class LiveValue<Figure: Equatable> {
  /// The context in which the value is computed.
  public let context: ObjectContext

  private let compute: (ObjectContext) throws -> Figure
  private var figure: Figure
  private var problem: (any Error)?
  private var columnsRead: ColumnsRead
  private var isOutdated = false
  private var isComputing = false
  private var isTelling = false
  private let witness: ChangeWitness
  /// The observers and loops, in the order in which they were added.
  private var watches: [WeakWatch] = []
  package var isWaiting = false

  private struct WeakWatch {
    weak var watch: FigureWatch<Figure>?
  }

  /// Creates a live value, and computes it.
  ///
  /// - Throws: The error of the closure.
  /// - Complexity: That of the closure.
  public init(
    in context: ObjectContext, _ compute: @escaping (ObjectContext) throws -> Figure
  ) throws {
    self.context = context
    self.compute = compute
    witness = context.family.operation.witness
    let read = ColumnsRead()
    figure = try context.noting(in: read) { try compute(context) }
    columnsRead = read
    witness.beginNeed()
    context.addFollower(self)
    awaitSave(read)
  }

  deinit {
    // The deinit may run on any thread. What it calls is thread-safe.
    witness.endNeed()
    for entry in watches { entry.watch?.wake?.end() }
  }

  /// The value, with all changes that the context shows.
  ///
  /// - Throws: The error of the closure, or of the store.
  /// - Complexity: O(1), or that of the closure if a change has touched what it reads. The first
  ///   access in a moment (read transaction) also asks the store for commits of other contexts and
  ///   processes.
  public var value: Figure {
    get throws {
      precondition(!isComputing, "The closure of a live value must not read this value.")
      if !isTelling { try context.hearForList() }
      computeIfOutdated()
      context.family.columnsRead?.add(columnsRead)
      if let problem { throw problem }
      return figure
    }
  }

  /// Calls a closure with the new value after each operation that has changed the value.
  ///
  /// Lists and observers of objects come first. Observers are called in the order in which they were
  /// added. A closure may edit objects. Its edits are an operation of their own, which all observers
  /// hear of after the present one.
  ///
  /// - Returns: A token. The closure is called until the token is released.
  /// - Complexity: O(1), or that of the computation if a change has touched what it reads.
  public func observe(_ hear: @escaping (Figure) -> Void) -> ObjectObservation {
    if !isTelling { try? context.hearForList() }
    computeIfOutdated()
    let watch = FigureWatch(figure, hear: hear, wake: nil)
    add(watch)
    return ObjectObservation { watch.hear = nil }
  }

  func add(_ watch: FigureWatch<Figure>) {
    watches.removeAll { $0.watch == nil }
    watches.append(WeakWatch(watch: watch))
  }

  private func computeIfOutdated() {
    guard isOutdated, !isComputing else { return }
    isOutdated = false
    isComputing = true
    defer { isComputing = false }
    // Changes from now on are compared with the values that the closure reads.
    witness.forget()
    let read = ColumnsRead()
    do {
      figure = try context.noting(in: read) { try compute(context) }
      columnsRead = read
      problem = nil
    } catch {
      problem = error
      isOutdated = true
    }
    awaitSave(read)
  }

  /// Computes the value again after the next save if it could not read because of unsaved changes. The
  /// closure may have caught that error.
  private func awaitSave(_ read: ColumnsRead) {
    guard read.awaitsSave else { return }
    isOutdated = true
    context.family.operation.awaitSave(self)
  }
}

extension LiveValue: ContextFollower {
  // The closure may read any row.
  package var followsInSlices: Bool { false }
  package var stage: FollowerStage { .values }

  package func markChanged(_ key: Int64, of entity: Int, in columns: ColumnMask?) {
    if columnsRead.isTouched(by: columns, of: entity) { isOutdated = true }
  }

  package func markChanged(_ keys: [Int64], of entity: Int) {
    if columnsRead.contains(entity) { isOutdated = true }
  }

  package func markAllChanged() { isOutdated = true }

  package func operationDidEnd() {
    computeIfOutdated()
    guard problem == nil else { return }
    isTelling = true
    defer { isTelling = false }
    for entry in watches {
      guard let watch = entry.watch else { continue }
      computeIfOutdated()
      if problem == nil { watch.tell(figure) }
    }
  }
}

/// An observer of a live value, or a loop over its values. The token or the loop retains it.
final class FigureWatch<Figure: Equatable> {
  private var told: Figure?
  /// The observer; nil for a loop, and after the end of the observation.
  var hear: ((Figure) -> Void)?
  /// The handle that wakes the loop; nil for an observer.
  let wake: LoopWake?

  init(_ told: Figure?, hear: ((Figure) -> Void)?, wake: LoopWake?) {
    self.told = told
    self.hear = hear
    self.wake = wake
  }

  func tell(_ figure: Figure) {
    guard figure != told else { return }
    told = figure
    wake?.call()
    hear?(figure)
  }
}

extension ObjectContext {
  /// Runs a closure that must only read, and notes the columns that it reads.
  fileprivate func noting<Result>(
    in read: ColumnsRead, _ body: () throws -> Result
  ) throws -> Result {
    let outer = family.columnsRead
    family.columnsRead = read
    defer {
      family.columnsRead = outer
      outer?.add(read)
    }
    return try family.permit.suspended("the closure of a live value", body)
  }
}
