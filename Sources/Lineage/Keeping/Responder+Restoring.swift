public import ObjectGraph
public import ResponderChain
import Synchronization

/// The contents of a context that state restoration brings back.
public enum RestoredContents: Sendable {
  /// Nothing. Unsaved changes end with the process.
  case nothing
  /// The unsaved changes, with the values that they began with.
  case edits
}

extension Responder {
  /// Provides a child of the inherited context to this responder and all below it, like
  /// `branch(_:_:)`, and keeps the child's unsaved changes for a later process.
  ///
  /// ```swift
  /// editor.branch(ObjectContext.self, restoring: .edits)
  /// ```
  ///
  /// The changes are archived with the state of this responder, which therefore needs a
  /// `restorationIdentifier`. When the responder is restored, its branch has them again: they can be
  /// saved, find their conflicts, and can be discarded. With `.nothing`, a branch that was kept is kept
  /// no more. See <doc:UnfinishedEdits>.
  ///
  /// - Complexity: That of `provide(_:for:)`.
  public final func branch<Key: ContextKey>(
    _ key: Key.Type, _ policy: BranchPolicy = .follow, restoring contents: RestoredContents,
    file: StaticString = #fileID, line: Int = #line
  ) where Key.Value == ObjectContext {
    branch(
      BranchKey(key), policy, isKept: contents == .edits, origin: .source(file, line))
  }
}

extension Application {
  /// The key under which an application has what of its root context is kept.
  private enum KeptRoot: ContextKey { typealias Value = RestoredContents }

  /// Declares what of the root context is kept.
  final func keepRoot(_ contents: RestoredContents) {
    if contents == .edits {
      provide(contents, for: KeptRoot.self)
      noteKeptChanges()
    } else if ownValue(KeptRoot.self) != nil {
      try? withdraw(KeptRoot.self)
    }
  }

  /// The root context, if its unsaved changes are kept; nil if they are not, or if the context is not
  /// there yet.
  final var keptRoot: ObjectContext? {
    guard ownValue(KeptRoot.self) == .edits else { return nil }
    let root = ownValue(ObjectContext.self)
    if root?.keepsEdits == false { root?.beginKeeping(at: self) }
    return root
  }
}

extension ObjectContext: KeepableContext {
  /// Keeps the context's unsaved changes for a responder; see `branch(_:_:restoring:)`.
  package func beginKeeping(at responder: Responder) {
    keepEdits { [weak responder] in responder?.noteKeptChanges() }
    if hasUnsavedChanges { responder.noteKeptChanges() }
    if let problem = problem(ofKeepingAt: responder), Self.isNew(problem, at: responder) {
      Self.printFault("\(responder.path) \(problem)")
    }
  }

  /// Returns the reason why unsaved changes, which are kept for a responder, would not come back
  /// completely; nil if they would.
  func problem(ofKeepingAt responder: Responder) -> String? {
    if let problem = Self.problem(ofKeepingAt: responder) { return problem }
    guard let parent, parent.parent != nil, !parent.keepsEdits else { return nil }
    return
      "keeps the changes of a branch below a context whose changes are not kept, so that what is "
      + "saved into that one does not come back."
  }

  static func problem(ofKeepingAt responder: Responder) -> String? {
    if responder is Application || responder.restorationIdentifier != nil { return nil }
    return
      "keeps the changes of a branch, but has no restorationIdentifier, so that they do not come "
      + "back."
  }

  /// Returns whether a problem was not reported yet for the class of a responder.
  private static func isNew(_ problem: String, at responder: Responder) -> Bool {
    reported.withLock { $0.insert("\(type(of: responder)): \(problem)").inserted }
  }

  private static let reported = Mutex<Set<String>>([])
}
