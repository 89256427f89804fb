extension Laws.Step {
  /// The kind of a step, without the step's arguments.
  ///
  /// A new kind of step must be added to ``kinds``, or the code does not compile. The generator
  /// must also draw the new kind, or a test fails.
  enum Kind: CaseIterable {
    case set, assign, insert, insertAgain, delete, group, undo, redo, discard
    case save, saveAll, merge, slice, refresh, policy
  }

  /// The kinds of the step and of the steps inside it.
  var kinds: Set<Kind> {
    switch self {
    case .set: [.set]
    case .assign: [.assign]
    case .insert: [.insert]
    case .insertAgain: [.insertAgain]
    case .delete: [.delete]
    case .group(_, let steps): steps.reduce([.group]) { $0.union($1.kinds) }
    case .undo: [.undo]
    case .redo: [.redo]
    case .discard: [.discard]
    case .save: [.save]
    case .saveAll: [.saveAll]
    case .merge: [.merge]
    case .slice: [.slice]
    case .refresh: [.refresh]
    case .policy: [.policy]
    }
  }
}
