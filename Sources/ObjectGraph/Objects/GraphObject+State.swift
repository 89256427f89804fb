extension GraphObject {
  /// Whether a save would write the object.
  var isUnsaved: Bool {
    switch phase {
    case .inserted: true
    // If both sides deleted the object, there is nothing to save.
    case .deleted: contest?.isGone != true
    case .updated: isContested || !changedColumns.isEmpty
    case .clean, .gone, .lone: false
    }
  }

  /// Whether the object replaces the store's row in the results of fetches, because it may be
  /// unsaved.
  var covers: Bool {
    switch phase {
    case .inserted, .updated, .deleted: true
    case .clean, .gone, .lone: false
    }
  }

  /// Whether the object was inserted in its context and removed again before a save.
  var wasNeverSaved: Bool { phase == .gone && isNew }
}

extension GraphObject.ObjectPhase {
  /// Whether an object in this phase exists above too, as far as its context knows.
  var isStored: Bool {
    switch self {
    case .clean, .updated, .deleted: true
    case .lone, .inserted, .gone: false
    }
  }
}
