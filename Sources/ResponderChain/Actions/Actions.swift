/// Handlers of actions are slots under this key, found and blocked like any context.
public enum Handler<Action>: ContextKey {
  /// The closure that handles the action for one responder.
  public typealias Value = ActionHandler<Action>
}

/// What a handler says about an action.
public enum ActionReply: Sendable {
  /// It is done; nobody else is asked.
  case handled
  /// The next handler up the tree is asked.
  case declined
}

/// Where an action ended.
public enum ActionOutcome {
  /// This responder handled it.
  case handled(by: Responder)
  /// Nobody handled it; this is the last responder on the way.
  case unhandled(at: Responder)

  /// Whether somebody handled the action.
  public var isHandled: Bool {
    if case .handled = self { true } else { false }
  }
}

/// One responder's handler of an action.
public struct ActionHandler<Action> {
  let handle: (Responder, Action) -> ActionReply
}

extension Responding where Self: Responder {
  /// Handles actions of a type that are sent from here or below.
  public func on<Action>(_ action: Action.Type, _ handle: @escaping (Self, Action) -> Void) {
    on(action) { me, action -> ActionReply in
      handle(me, action)
      return .handled
    }
  }

  /// Handles or declines actions of a type that are sent from here or below.
  public func on<Action>(
    _ action: Action.Type, _ handle: @escaping (Self, Action) -> ActionReply
  ) {
    provide(
      ActionHandler<Action> { responder, action in
        // The value may have been provided elsewhere.
        guard let me = responder as? Self else { return .declined }
        return handle(me, action)
      }, for: Handler<Action>.self)
  }
}

extension Responder {
  /// Handles actions of the type no more.
  public final func off<Action>(_ action: Action.Type) {
    withdrawSlot(Erased<Handler<Action>>.self)
  }

  /// Sends an action up the tree to the nearest handler that does not decline it.
  @discardableResult
  public final func send<Action>(_ action: Action) -> ActionOutcome {
    let id = KeyID(Handler<Action>.self)
    var start: Responder? = self
    while let asked = start {
      guard let slot = asked.locate(id)?.pointee.slot?.takeUnretainedValue() else { break }
      guard case .value(let cell) = slot.state, let responder = slot.responder(below: asked) else {
        return .unhandled(at: slot.responder(below: asked) ?? asked)
      }
      let handler = unsafeDowncast(cell, to: TypedCell<ActionHandler<Action>>.self).value
      if handler.handle(responder, action) == .handled { return .handled(by: responder) }
      start = responder.nextResponder
    }
    return .unhandled(at: (ownCore ?? liveParent)?.top().core.responder ?? self)
  }
}

extension Slot {
  /// The responder that has the slot, as seen from a responder that found it.
  func responder(below asker: Responder) -> Responder? {
    owner === asker.ownCore ? asker : owner.responder
  }
}
