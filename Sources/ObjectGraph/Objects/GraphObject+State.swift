extension GraphObject {
  /// Whether a save would write the object.
  var isUnsaved: Bool {
    switch phase {
    case .inserted: true
    // A deletion on both sides leaves nothing to save.
    case .deleted: contest?.isGone != true
    case .updated: isContested || !changedColumns.isEmpty
    case .clean, .gone, .lone: false
    }
  }

  /// Whether what the context knows counts more than the store's row.
  var covers: Bool {
    switch phase {
    case .inserted, .updated, .deleted: true
    case .clean, .gone, .lone: false
    }
  }

  /// Whether it was new in its context and is gone again, without a save between.
  var wasNeverSaved: Bool { phase == .gone && isNew }
}

extension GraphObject.ObjectPhase {
  /// Whether it is the phase of an object that is above, too, as far as its context knows.
  var isStored: Bool {
    switch self {
    case .clean, .updated, .deleted: true
    case .lone, .inserted, .gone: false
    }
  }
}
