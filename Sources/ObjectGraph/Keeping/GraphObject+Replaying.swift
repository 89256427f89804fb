extension GraphObject {
  /// Sets the edited properties of a kept change, except those that are edited here already. Then
  /// compares them with the present values above, as a merge does.
  func replay(_ edit: KeptEdit, isDeleted: OwnerTest) {
    if phase == .clean, beginsAsNow(edit) {
      // Mostly, nobody has changed the properties.
      keepBase()
      phase = .updated
      edit.value.withMemory { take(edit.edited, of: $0) }
      if !edit.emptied.isEmpty { base?.emptied = edit.emptied }
      return
    }
    let known = phase == .clean ? ColumnMask() : unsavedColumns
    if phase == .clean {
      keepBase()
      phase = .updated
    }
    guard let above = base?.copyValue() else { return }
    // An object that a policy inserts again is edited where it differs from what is there now.
    let isWhole = edit.change == .insertedAgain
    let edited = (isWhole ? edit.columns : edit.edited).subtracting(known)
    edit.value.withMemory { take(edited, of: $0) }
    guard !isWhole, phase == .updated else { return becomeCleanIfUnedited() }
    beginEdits(edited, as: edit)
    if contest?.isGone ?? false { return contest(edited.intersection(layout.contestable)) }
    above.withMemory { compare(with: $0, isDeleted) }
  }

  /// Returns whether no edited property of a kept change has changed above, so that nothing is
  /// contested, and at least one has another value.
  private func beginsAsNow(_ edit: KeptEdit) -> Bool {
    guard edit.change == .updated, edit.contested.isEmpty else { return false }
    let layout = layout
    return withMemory { now in
      edit.base.withMemory { layout.areEqual(now, $0, in: edit.edited) }
        && !edit.value.withMemory { layout.areEqual(now, $0, in: edit.edited) }
    }
  }

  /// Deletes the object. If it differs from the row that was deleted, that is a conflict.
  func replayDeletion(_ edit: KeptEdit, isDeleted: OwnerTest) {
    keepBase()
    phase = .deleted
    guard let above = base?.copyValue() else { return }
    beginEdits(edit.columns, as: edit)
    // The deleted object keeps its last value, which is the one from before both sides' changes.
    edit.base.withMemory { take(edit.columns, of: $0) }
    edit.origin?.withMemory { take(edit.contested, of: $0) }
    for column in layout.referenceColumns where edit.emptied.contains(column) {
      setTarget(of: column, to: nil)
    }
    above.withMemory { compare(with: $0, isDeleted) }
  }

  /// Replays a change of an object that does not exist above. The object has the kept value already.
  func replayWithoutRow(_ edit: KeptEdit) {
    phase = edit.change == .updated ? .updated : .inserted
    isNew = edit.change == .inserted
    guard !isNew else { return forgetBase() }
    base = edit.base.copyValue()
    base?.emptied = edit.emptied
    guard phase == .updated else { return }
    beginEdits(edit.edited, as: edit)
    followDeletion()
  }

  /// Sets properties of the base to the values that a kept change began with.
  private func beginEdits(_ edited: ColumnMask, as edit: KeptEdit) {
    edit.base.withMemory { base?.take(edited, of: $0) }
    base?.emptied.formUnion(edit.emptied.intersection(edited))
    let contested = edit.contested.intersection(edited).intersection(layout.contestable)
    guard !contested.isEmpty, let origin = edit.origin else { return }
    contest(ColumnMask())
    origin.withMemory { contest?.add(contested, base: $0) }
  }
}
