// How an object takes what is above it: the object of its context's parent or, for a root context,
// the row of the store.

extension GraphObject {
  /// Tells of a to-one column and the id that it had whether that object is deleted on both sides.
  typealias OwnerTest = (_ column: Int, _ key: Int64) -> Bool

  /// The contested properties; nil while there are none.
  final var contest: Contest? { isContested ? base?.contest : nil }

  /// Ends the contest: a policy has decided.
  final func endContest() {
    base?.contest = nil
    isContested = false
  }

  /// Takes the values that an object above has by now.
  ///
  /// Properties that are not edited follow. Those that are become contested if the base was another;
  /// so do the properties of a deleted object.
  ///
  /// - Parameters:
  ///   - above: An object with those values, which is not deleted.
  ///   - isDeleted: Whether the object that a reference led to, which both sides emptied, is deleted
  ///     on both sides. A delete rule did it then, and it is no conflict.
  final func follow(_ above: GraphObject, isDeleted: OwnerTest) {
    switch phase {
    case .clean: copyValue(of: above)
    case .gone where !wasNeverSaved:
      forgetBase()
      phase = .clean
      copyValue(of: above)
    case .inserted where hasBase:
      // Kept over a deletion, and there again.
      phase = .updated
      keepBase(of: above)
    case .updated, .deleted: above.withValue { compare(with: $0, isDeleted) }
    case .gone, .inserted, .lone: break
    }
  }

  /// Learns that the object is deleted above.
  final func followDeletion() {
    becomeCleanIfUnedited()
    switch phase {
    case .clean: phase = .gone
    case .updated, .deleted:
      // Not what was edited since the context first learned of it.
      guard contest?.isGone != true else { return }
      contest(changedColumns)
      contest?.isGone = true
    case .gone, .inserted, .lone: break
    }
  }

  /// Whether it is deleted here and above, so that there is nothing to save.
  final var isDeletedTwice: Bool { phase == .deleted && contest?.isGone ?? false }

  /// Whether its context has learned that it is deleted above.
  final var isKnownDeletedAbove: Bool { phase == .gone || contest?.isGone ?? false }

  /// Makes an object clean that is as if it had never been touched.
  final func becomeCleanIfUnedited() {
    guard phase == .updated, !isContested, changedColumns.isEmpty else { return }
    phase = .clean
    forgetBase()
  }

  /// The properties that differ from the base, and those that are contested.
  final var unsavedColumns: ColumnMask {
    var columns = changedColumns
    if let contest { columns.formUnion(contest.columns) }
    return columns
  }

  /// Takes over some properties of an object of the same entity.
  final func take(_ columns: ColumnMask, of other: GraphObject) {
    let layout = layout
    lend { mine, _ in
      other.lend { theirs, _ in
        // By place: a loop over columns would count references to the parts of each.
        for index in layout.columns.indices where columns.contains(index) {
          layout.columns[index].assign(from: theirs, to: mine)
        }
      }
    }
  }

  private func compare(with theirs: StructMemory, _ isDeleted: OwnerTest) {
    contest?.isGone = false
    let layout = layout
    var edited = contest?.columns ?? ColumnMask()
    var byDeletion = ColumnMask()
    let news = borrowing { mine, base in
      guard let base else { return ColumnMask() }
      let news = layout.difference(base, theirs)
      if phase == .deleted {
        let others = contest?.byDeletion ?? ColumnMask()
        let byHand = edited.union(layout.difference(base, mine)).subtracting(others)
        byDeletion = news.subtracting(byHand)
        edited.formUnion(news)
      } else {
        edited.formUnion(layout.difference(base, mine))
      }
      return news
    }
    var contested = ColumnMask()
    for index in layout.columns.indices where news.contains(index) && edited.contains(index) {
      if isSame(layout.columns[index], theirs) { continue }
      if let owner = emptiedOwner(index, theirs), isDeleted(index, owner) { continue }
      contested.insert(index)
    }
    if !contested.isEmpty {
      contest(contested)
      contest?.byDeletion.formUnion(byDeletion.intersection(contested))
    }
    lend { mine, base in
      guard let base else { return }
      for index in layout.columns.indices where news.contains(index) {
        if !edited.contains(index) { layout.columns[index].assign(from: theirs, to: mine) }
        layout.columns[index].assign(from: theirs, to: base)
      }
    }
    if contest?.isEmpty ?? false { endContest() }
    becomeCleanIfUnedited()
  }

  private func isSame(_ column: Column, _ theirs: StructMemory) -> Bool {
    withBase { column.isSame($0, theirs) }
  }

  /// The object that a reference led to which a delete rule has emptied here, and which is empty in
  /// other values, too.
  private func emptiedOwner(_ index: Int, _ theirs: StructMemory) -> Int64? {
    let field = layout.columns[index].field
    guard let base, base.emptied.contains(index), field.target(in: theirs) == nil,
      target(of: index) == nil
    else { return nil }
    return withBase { field.target(in: $0) }
  }

  /// Makes properties contested; their values in the base are those with which both sides began.
  final func contest(_ columns: ColumnMask) {
    guard let base else { return }
    let contest = base.contest ?? Contest(origin: base.copy())
    base.withMemory { contest.add(columns, base: $0) }
    base.contest = contest
    isContested = true
  }

  /// The value with which this context and above began, as far as they changed it.
  final var origin: any Entity {
    guard let base else { return anyValue }
    guard let contest else { return base.anyValue }
    let copy = base.copy()
    contest.restoreOrigin(of: copy)
    return copy.anyValue
  }
}

extension GraphObject {
  /// Puts the edits of an older state on what is above by now.
  ///
  /// Properties that were contested in that state, or are now, and are edited in it, are contested.
  /// The values above by now are not in question again.
  ///
  /// - Parameters:
  ///   - phase: Whether it is deleted then.
  ///   - value: The values of that state.
  ///   - base: The base of that state; nil if nothing was edited.
  final func putBack(_ phase: ObjectPhase, _ value: AnyBox, _ base: AnyBox?) {
    var edited = base?.contest?.columns ?? ColumnMask()
    base?.withMemory { base in
      value.withMemory { edited.formUnion(layout.difference($0, base)) }
    }
    edited = edited.subtracting(base?.contest?.byDeletion ?? ColumnMask())
    if self.phase == .clean { keepBase() }
    let emptied = base?.emptied ?? ColumnMask()
    keepOnly(edited, of: value, emptied, phase == .deleted ? .deleted : .updated, base?.contest)
    becomeCleanIfUnedited()
  }

  /// Takes a deletion back that this context has made, since a save from below brings the object
  /// back with that object's value. What was contested before the deletion stays so.
  final func takeDeletionBack(for other: GraphObject) {
    var edited = changedColumns
    if let contest { edited = edited.union(contest.columns).subtracting(contest.byDeletion) }
    keepOnly(edited, of: boxed(), base?.emptied ?? ColumnMask(), .updated, nil)
    copyValue(of: other)
    if let emptied = other.base?.emptied { base?.emptied.formUnion(emptied) }
  }

  /// Has values of properties in a mask as edits, and what is above in all others; what is contested
  /// of them, by now or in a former state, is contested.
  private func keepOnly(
    _ edited: ColumnMask, of value: AnyBox, _ emptied: ColumnMask, _ phase: ObjectPhase,
    _ former: Contest?
  ) {
    let contest = contest
    endContest()
    takeEdits(edited, of: value)
    base?.emptied = emptied.intersection(edited)
    self.phase = phase
    let isGone = contest?.isGone ?? false
    if isGone, edited.isEmpty, phase != .deleted {
      forgetBase()
      self.phase = .gone
      return
    }
    for former in [contest, former].compactMap(\.self) {
      self.contest(ColumnMask())
      self.contest?.add(edited, of: former)
    }
    if isGone {
      self.contest(ColumnMask())
      self.contest?.isGone = true
    }
    if self.contest?.isEmpty ?? false { endContest() }
  }

  private func takeEdits(_ edited: ColumnMask, of value: AnyBox) {
    let layout = layout
    lend { mine, base in
      guard let base else { return }
      value.withMemory { value in
        for index in layout.columns.indices {
          let source = edited.contains(index) ? value : base
          layout.columns[index].assign(from: source, to: mine)
        }
      }
    }
  }

  /// The state above an object, as far as its context knows.
  enum Above {
    /// Nothing was ever there.
    case none
    case deleted
    case value(AnyBox)
  }

  /// The state above that the object's context last learned of.
  final var above: Above {
    switch phase {
    case .lone: return .none
    case .clean: return .value(boxed())
    case .inserted: return hasBase ? .deleted : .none
    case .gone: return isNew ? .none : .deleted
    case .updated, .deleted:
      guard let base, contest?.isGone != true else { return .deleted }
      return .value(base.copy())
    }
  }

  /// Takes what is above, after an undo has put an older state into place.
  ///
  /// - Parameters:
  ///   - above: What the context knew of it before the undo.
  ///   - contest: What was contested before the undo. Of that, what is edited in the older state stays
  ///     contested.
  ///   - isDeleted: See the other `follow`.
  final func follow(_ above: Above, after contest: Contest?, isDeleted: OwnerTest) {
    if phase == .updated, let contest {
      let edited = changedColumns.intersection(contest.columns)
      if !edited.isEmpty {
        self.contest(ColumnMask())
        self.contest?.add(edited, of: contest)
      }
    }
    switch above {
    case .none: break
    case .deleted: followDeletion()
    case .value(let box):
      switch phase {
      case .clean: exchange(with: box)
      case .gone where !isNew:
        forgetBase()
        phase = .clean
        exchange(with: box)
      case .inserted where hasBase:
        phase = .updated
        base = box
      case .updated, .deleted: box.withMemory { compare(with: $0, isDeleted) }
      case .gone, .inserted, .lone: break
      }
    }
  }
}
