/// The responder that input goes to first, as a context of its application. So every responder of the
/// tree can read and observe it.
public struct FirstResponder: Context, Equatable {
  /// The first responder.
  public private(set) weak var responder: Responder?

  /// Returns whether two values have the same responder.
  public static func == (one: Self, other: Self) -> Bool { one.responder === other.responder }
}

extension Application {
  /// The responder that input goes to first, for example a text field that is edited; `nil` if there is
  /// none. ``makeFirst(_:)`` sets it.
  ///
  /// If it has left the tree by the end of a round, its nearest former ancestor that is still there takes
  /// its place. A presenter counts as an ancestor.
  ///
  /// - Complexity: O(1).
  public final var firstResponder: Responder? { ownValue(FirstResponder.self)?.responder }

  /// Sets ``firstResponder``, or removes it if the argument is `nil`.
  ///
  /// - Throws: ``TreeError/inAnotherTree(_:_:)`` if the responder is not in this application's tree.
  /// - Complexity: That of ``Responder/provide(_:for:file:line:)``, and O(*depth*) for the check.
  public final func makeFirst(_ responder: Responder?) throws {
    if let responder, responder.application !== self {
      throw TreeError.inAnotherTree(responder.path, path)
    }
    setFirst(responder)
  }

  /// Sets the first responder.
  fileprivate final func setFirst(_ responder: Responder?) {
    forgetFallback()
    if let responder {
      provide(FirstResponder(responder: responder))
    } else {
      withdrawSlot(Erased<FirstResponder>.self)
    }
    setHasFirst(responder != nil)
  }
}

extension TreeState {
  /// Whether ``willUnlink(_:from:)`` has something to do.
  var followsUnlinks: Bool { hasFirst || hasTasks }

  /// Notes that a responder is about to be unlinked from its parent. At the end of the round, the first
  /// responder is replaced if it has left the tree, and tasks of responders that have left are cancelled.
  func willUnlink(_ removed: Responder, from parent: Responder) {
    checkTasksAtEnd()
    guard hasFirst, let application = root as? Application, let first = application.firstResponder,
      first.isSelfOrBelow(removed) || fallback?.object?.isSelfOrBelow(removed) ?? false
    else { return }
    if fallback == nil { RoundStage.last.atEnd { [weak self] in self?.settleFirst() } }
    fallback = Weak(parent)
  }

  private func settleFirst() {
    guard let parent = fallback else { return }
    fallback = nil
    guard let application = root as? Application,
      application.firstResponder?.application !== application
    else { return }
    application.setFirst(parent.object?.application === application ? parent.object : nil)
  }
}

extension Responder {
  fileprivate final func isSelfOrBelow(_ other: Responder) -> Bool {
    sequence(first: self) { $0.nextResponder }.contains { $0 === other }
  }
}
