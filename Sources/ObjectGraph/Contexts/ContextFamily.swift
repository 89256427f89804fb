/// The state that a root context shares with all contexts below it.
final class ContextFamily {
  let operation = Operation()
  let merger: Merger
  let permit = EditPermit()
  /// The columns that the live value which is being computed has read; nil while none is computed.
  /// They are added through the reference, not in this property: an access that changes the property
  /// would need checks of exclusivity in each lookup (benchmark `identity hit`).
  var columnsRead: ColumnsRead?
  /// The lists whose rows are being loaded elsewhere.
  var loadings = LoadingFollowers()
  /// The child contexts of the edits whose closures are running, by the numbers of the edits.
  var openEdits: [Int64: ObjectContext] = [:]
  /// The save of several contexts that is under way; nil at other times.
  var chainSave: ChainSave?
  /// Whether a delete rule has ever set a reference to nil in one of the contexts.
  var hasEmptied = false
  /// The number of unsaved objects that lookups of to-many properties have examined. Tests check
  /// it.
  var examined = 0
  /// The tables of a context without objects. All contexts begin with this list, so a new context
  /// needs no memory for a list of its own.
  let noTables: [AnyTable?]
  /// The lists of a context without unsaved objects, one for each entity. All contexts begin with
  /// these lists, too.
  let noObjects: [[GraphObject]]

  init(_ session: StoreSession, entityCount: Int) {
    merger = Merger(session, operation, entityCount: entityCount)
    noTables = Array(repeating: nil, count: entityCount)
    noObjects = Array(repeating: [], count: entityCount)
  }
}

/// The operation of a family (all contexts of one root) that is under way, with the followers that
/// wait for its end.
///
/// An operation is one edit, or a whole save, merge, discard, undo or group. Operations inside another
/// one are a part of it.
final class Operation {
  private var depth = 0
  /// The contexts that have followers.
  private var followed: [WeakContext] = []
  /// The followers whose `operationDidEnd()` will be called when the current or next operation
  /// ends.
  ///
  /// They are not retained. If a read discovers a change outside of any operation, the followers
  /// wait until the next operation ends. Until then, their owners may release them.
  private var waiting: [FollowerList.WeakFollower] = []
  /// The followers that could not read because of unsaved changes.
  private var awaitingSave: [FollowerList.WeakFollower] = []
  /// The size of ``waiting`` at which released followers are removed from it.
  private var waitingLimit = 16
  /// Whether followers are being told of the end of an operation.
  private var isTelling = false
  /// The finder of the columns that change.
  let witness = ChangeWitness()

  /// Runs a closure as one operation. The notified followers apply all changes of the closure when
  /// the outermost operation ends.
  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    depth += 1
    defer {
      depth -= 1
      if depth == 0 { tellOfEnd() }
    }
    return try body()
  }

  /// Adds a context that has followers, without retaining it.
  func follow(_ context: ObjectContext) {
    followed.removeAll { $0.context == nil }
    if !followed.contains(where: { $0.context === context }) {
      followed.append(WeakContext(context: context))
    }
  }

  /// Notifies followers in all contexts that rows were changed. A follower is not notified of a row
  /// that has an object in the follower's context or a context above. `audience` limits the call to
  /// one kind of follower.
  func tellOfUnheld(_ rows: some Collection<RowKey>, _ audience: UnheldAudience) {
    guard !rows.isEmpty else { return }
    for case let context? in followed.map(\.context) { context.tellOfUnheld(rows, audience) }
  }

  /// Notifies all followers that any object may have changed.
  func tellEverything() {
    for case let context? in followed.map(\.context) { context.tellEverything() }
  }

  /// Registers a follower that could not read because of unsaved changes. The next save lets it read
  /// again.
  func awaitSave(_ follower: any ContextFollower) {
    awaitingSave.removeAll { $0.follower == nil || $0.follower === follower }
    awaitingSave.append(FollowerList.WeakFollower(follower: follower))
  }

  /// Lets the followers that await a save read again at the end of the operation.
  func didSave() {
    guard !awaitingSave.isEmpty else { return }
    for case let follower? in awaitingSave.map(\.follower) { queueEnd(for: follower) }
    awaitingSave = []
  }

  /// Registers a follower for a call of `operationDidEnd()` at the end of the operation.
  func queueEnd(for follower: any ContextFollower) {
    guard !follower.isWaiting else { return }
    follower.isWaiting = true
    if waiting.count >= waitingLimit {
      waiting.removeAll { $0.follower == nil }
      waitingLimit = 2 * waiting.count + 16
    }
    waiting.append(FollowerList.WeakFollower(follower: follower))
  }

  /// Calls `operationDidEnd()` of the waiting followers, unless an operation is still under way or
  /// followers are being told of an earlier one.
  ///
  /// The calls may change objects. Each such change is an operation of its own, of which the
  /// followers are told after the present one.
  func tellOfEnd() {
    guard depth == 0, !isTelling else { return }
    // Its values retain objects.
    witness.forget()
    guard !waiting.isEmpty else { return }
    isTelling = true
    defer { isTelling = false }
    for _ in 0..<Self.roundLimit {
      if waiting.count == 1 {
        let follower = waiting.removeLast().follower
        follower?.isWaiting = false
        follower?.operationDidEnd()
      } else {
        tellWaiting()
      }
      if waiting.isEmpty { return }
    }
    followed.lazy.compactMap(\.context).first?.reportEndlessChanges()
  }

  private func tellWaiting() {
    let told = waiting
    waiting = []
    for waiter in told { waiter.follower?.isWaiting = false }
    for stage in FollowerStage.allCases {
      for case let follower? in told.lazy.map(\.follower) where follower.stage == stage {
        follower.operationDidEnd()
      }
    }
  }

  /// The number of times that followers are told in a row, because observers change objects. Then
  /// the rest waits for the end of the next operation.
  private static let roundLimit = 100
}

extension ObjectContext {
  fileprivate func reportEndlessChanges() {
    let message = "they have changed objects again 100 times, each time because of such a change"
    report(GraphError("tell the observers of a change", .other(message)))
  }
}

struct WeakContext {
  weak var context: ObjectContext?
}
