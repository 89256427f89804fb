// These functions update an object after changes above: of the parent's object or, in a root
// context, of the store's row.

extension GraphObject {
  /// A function that returns whether an object is deleted on both sides, here and above. Its
  /// arguments are the to-one column that referred to the object, and the object's id.
  typealias OwnerTest = (_ column: Int, _ key: Int64) -> Bool

  /// The contest of the object; nil if no property is contested and the object was not deleted
  /// above.
  final var contest: Contest? { isContested ? base?.contest : nil }

  /// Ends the contest, so that no property is contested any more.
  final func endContest() {
    base?.contest = nil
    isContested = false
  }

  /// Updates the object to the current values above.
  ///
  /// Properties that are not edited get these values. An edited property becomes contested if its
  /// value above differs from its base. If the object is deleted here, each property that has
  /// changed above becomes contested, whether it was edited before the deletion or not.
  ///
  /// - Parameters:
  ///   - above: An object with the values from above. It is not deleted.
  ///   - isDeleted: A function that returns whether the object to which a reference led is deleted
  ///     on both sides. If it is, a reference that is nil on both sides is no conflict, because
  ///     delete rules have set it to nil.
  final func follow(_ above: GraphObject, isDeleted: OwnerTest) {
    switch phase {
    case .clean: copyValue(of: above)
    case .gone where !wasNeverSaved:
      forgetBase()
      phase = .clean
      copyValue(of: above)
    case .inserted where hasBase:
      // The object was kept although it was deleted above. Now it exists above again.
      phase = .updated
      keepBase(of: above)
    case .updated, .deleted: above.withValue { compare(with: $0, isDeleted) }
    case .gone, .inserted, .lone: break
    }
  }

  /// Updates the object because the object above was deleted. If the object has no edits that can be
  /// in conflict, it is deleted too. Otherwise, its edited properties become contested. Edits before a
  /// deletion here do not.
  final func followDeletion() {
    becomeCleanIfUnedited()
    switch phase {
    case .clean: phase = .gone
    case .updated, .deleted:
      // Edits made after the context had learned of the deletion are not contested.
      guard contest?.isGone != true else { return }
      let edited = changedColumns.intersection(layout.contestable)
      if phase == .updated, edited.isEmpty, !isContested {
        forgetBase()
        phase = .gone
        return
      }
      contest(phase == .updated ? edited : ColumnMask())
      contest?.isGone = true
    case .gone, .inserted, .lone: break
    }
  }

  /// Marks the object as deleted in its context. The deleted object keeps its last value. The edits
  /// in this value take part in no conflict any more, unless an undo brings them back.
  final func buryEdits() {
    let isGone = contest?.isGone ?? false
    endContest()
    phase = .deleted
    if isGone {
      contest(ColumnMask())
      contest?.isGone = true
    }
  }

  /// Whether the object is deleted both here and above. A save then has nothing to write.
  final var isDeletedTwice: Bool { phase == .deleted && contest?.isGone ?? false }

  /// Whether the object was deleted above, as far as this context knows.
  final var isKnownDeletedAbove: Bool { phase == .gone || contest?.isGone ?? false }

  /// Makes the object clean if it has neither edits nor contested properties.
  final func becomeCleanIfUnedited() {
    guard phase == .updated, !isContested, changedColumns.isEmpty else { return }
    phase = .clean
    forgetBase()
  }

  /// The properties that differ from the base, and the contested properties.
  final var unsavedColumns: ColumnMask {
    var columns = changedColumns
    if let contest { columns.formUnion(contest.columns) }
    return columns
  }

  /// Copies some properties of another object of the same entity.
  final func take(_ columns: ColumnMask, of other: GraphObject) {
    let layout = layout
    lend { mine, _ in
      other.lend { theirs, _ in layout.assign(columns, from: theirs, to: mine) }
    }
  }

  /// Copies some properties of a struct of the same entity.
  final func take(_ columns: ColumnMask, of source: StructMemory) {
    let layout = layout
    withMemory { layout.assign(columns, from: source, to: $0) }
  }

  /// Compares the object with the values above, and takes them as ``follow(_:isDeleted:)`` does. The
  /// object must be edited or deleted.
  final func compare(with theirs: StructMemory, _ isDeleted: OwnerTest) {
    contest?.isGone = false
    let layout = layout
    var edited = ColumnMask()
    let news = borrowing { mine, base in
      guard let base else { return ColumnMask() }
      let news = layout.difference(base, theirs)
      // A deletion is an edit of all properties.
      edited = phase == .deleted ? news : layout.difference(base, mine)
      return news
    }
    if let contest { edited.formUnion(contest.columns) }
    var contested = ColumnMask()
    let both = news.intersection(edited).intersection(layout.contestable)
    for index in layout.columns.indices where both.contains(index) {
      if isSame(layout.columns[index], theirs) { continue }
      if let owner = emptiedOwner(index, theirs), isDeleted(index, owner) { continue }
      contested.insert(index)
    }
    if !contested.isEmpty { contest(contested) }
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

  /// Returns the id to which a reference led in the base, if a delete rule has set the reference to
  /// nil here and the reference is nil in `theirs` too. Otherwise returns nil.
  private func emptiedOwner(_ index: Int, _ theirs: StructMemory) -> Int64? {
    let field = layout.columns[index].field
    guard let base, base.emptied.contains(index), field.target(in: theirs) == nil,
      target(of: index) == nil
    else { return nil }
    return withBase { field.target(in: $0) }
  }

  /// Makes properties contested. The base must still have the values from before either side
  /// changed them.
  final func contest(_ columns: ColumnMask) {
    guard let base else { return }
    let contest = base.contest ?? Contest(origin: base.copy())
    base.withMemory { contest.add(columns, base: $0) }
    base.contest = contest
    isContested = true
  }

  /// The value that the object had before it was changed here or above: the base, with the former
  /// values of the contested properties.
  final var origin: any Entity {
    guard let base else { return anyValue }
    guard let contest else { return base.anyValue }
    let copy = base.copy()
    contest.restoreOrigin(of: copy)
    return copy.anyValue
  }
}

extension GraphObject {
  /// Restores the edits of an older state of this object. Properties that were not edited in that
  /// state get the current values from above.
  ///
  /// A restored edit is contested if it was contested in the older state, or if the same property
  /// is contested now. It is not contested merely because the value above has changed since the
  /// older state.
  ///
  /// - Parameters:
  ///   - phase: The phase of the older state.
  ///   - value: The values of the older state.
  ///   - base: The base of the older state; nil if it had no edits.
  final func putBack(_ phase: ObjectPhase, _ value: AnyBox, _ base: AnyBox?) {
    let isDeletion = phase == .deleted
    // What is contested in a deleted object was not edited before.
    var edited = isDeletion ? ColumnMask() : base?.contest?.columns ?? ColumnMask()
    base?.withMemory { base in
      value.withMemory { edited.formUnion(layout.difference($0, base)) }
    }
    if self.phase == .clean { keepBase() }
    let emptied = base?.emptied ?? ColumnMask()
    if isDeletion {
      takeEdits(edited, of: value)
      self.base?.emptied = emptied.intersection(edited)
      buryEdits()
    } else {
      keepOnly(edited, of: value, emptied, base?.contest)
      becomeCleanIfUnedited()
    }
  }

  /// Reverts the deletion of this object in its context, because a save from below restores the
  /// object. The given properties, which are edited in `other`, get its values. Of the others, those
  /// that have changed above since the deletion get the values above, and the rest keep their last
  /// values.
  final func revertDeletion(for other: GraphObject, _ edits: ColumnMask) {
    let changedAbove = contest?.columns ?? ColumnMask()
    let emptied = base?.emptied ?? ColumnMask()
    endContest()
    phase = .updated
    returnToBase(layout.columns.indices.filter(changedAbove.contains))
    take(edits, of: other)
    base?.emptied = emptied.union(other.base?.emptied ?? ColumnMask()).intersection(changedColumns)
  }

  /// Sets the properties in a mask to their values in `value`, as edits. All other properties get
  /// the values of the base. Edits that are contested now or in `former` stay contested.
  private func keepOnly(
    _ edited: ColumnMask, of value: AnyBox, _ emptied: ColumnMask, _ former: Contest?
  ) {
    let contest = contest
    endContest()
    takeEdits(edited, of: value)
    base?.emptied = emptied.intersection(edited)
    phase = .updated
    let isGone = contest?.isGone ?? false
    if isGone, edited.intersection(layout.contestable).isEmpty {
      forgetBase()
      phase = .gone
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

  /// The state of an object above: in the parent or the store, as far as its context knows.
  enum Above {
    /// The object never existed above.
    case none
    case deleted
    case value(AnyBox)
  }

  /// The state above, as far as the object's context knows.
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

  /// Updates an object that an undo has restored to an older state. The state above may have
  /// changed since that older state.
  ///
  /// - Parameters:
  ///   - above: The state above that the context knew before the undo.
  ///   - contest: The contest before the undo. Its properties stay contested if they are edited in
  ///     the restored state.
  ///   - isDeleted: A function that returns whether the object of a reference was deleted both here
  ///     and above.
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
