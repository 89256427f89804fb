public import ObjectGraph
public import ResponderChain
public import StateRestoration

extension RestorableStatus {
  /// Calls a closure when the property's object ends: when it is deleted, or missing after a restart.
  ///
  /// ```swift
  /// $deck.onEnd { (screen: DeckScreen) in screen.close() }
  /// ```
  ///
  /// The closure is called after the round, once for each end. It does not matter who deletes the object:
  /// this context, one above, another context or another process. A deletion that was undone by the end
  /// of the round is none, and one that is undone later can be followed by another end. If the object
  /// was edited here and deleted elsewhere, the deletion is contested, and no end until a save decides
  /// so.
  ///
  /// After a restart, the object may be missing: its store opens, perhaps late, and has no such object.
  /// If another store opens, or if the object only could not be read, that is no end.
  ///
  /// The closure gets the responder. It must not capture the responder, which retains it. An object
  /// that is in no context when the property is set has no end.
  ///
  /// - Precondition: The responder is an `Owner`.
  /// - Complexity: O(1) on average.
  public func onEnd<Target: Entity, Owner: Responder>(
    _ handler: @escaping (_ me: Owner) -> Void
  ) where Value == Object<Target>? {
    let watch = EndWatch<Target> { responder in
      guard let me = responder as? Owner else {
        preconditionFailure("\(responder.path) is no \(Owner.self), for which onEnd was called.")
      }
      handler(me)
    }
    follow(watch.follow)
  }

  /// Calls a closure when the property's object ends, with the responder as a `Responder`.
  ///
  /// ```swift
  /// $deck.onEnd { $0.removeFromParent() }
  /// ```
  ///
  /// - Complexity: O(1) on average.
  public func onEnd<Target: Entity>(
    _ handler: @escaping (_ me: Responder) -> Void
  ) where Value == Object<Target>? {
    follow(EndWatch<Target>(handler).follow)
  }
}

/// The follower of a property whose object may end.
private final class EndWatch<Target: Entity> {
  private let handler: (Responder) -> Void
  /// The object that is followed; nil if there is none.
  private var object: Object<Target>?
  private var observation: ObjectObservation?
  /// Whether the object is deleted or missing.
  private var isOver = false
  /// Whether the handler was called for the present end.
  private var isTold = false

  init(_ handler: @escaping (Responder) -> Void) { self.handler = handler }

  /// Begins to follow another value of the property.
  func follow(_ responder: Responder, _ object: Object<Target>?, _ isGone: Bool) {
    if let object, object === self.object, observation != nil { return }
    (self.object, observation) = (object, nil)
    isTold = false
    isOver = isGone
    if let object, object.context != nil {
      isOver = object.isDeleted
      observation = object.observe { [weak self, weak responder] object, change in
        self?.note(change.isDeleted, responder)
      }
    }
    note(isOver, responder)
  }

  private func note(_ isOver: Bool, _ responder: Responder?) {
    self.isOver = isOver
    guard isOver else { return isTold = false }
    guard !isTold else { return }
    RoundStage.last.atEnd { [weak self, weak responder] in
      guard let self, let responder, self.isOver, !isTold else { return }
      isTold = true
      handler(responder)
    }
  }
}
