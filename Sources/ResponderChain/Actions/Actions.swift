/// Handlers of actions are slots under this key, found and blocked like any context.
public enum Handler<Action>: ContextKey {
  /// The closure that handles the action for one responder.
  public typealias Value = ActionHandler<Action>
}

/// What a handler says about an action.
public enum ActionReply: ActionReplying, Sendable {
  /// It is done; nobody else is asked.
  case handled
  /// The next handler up the tree is asked.
  case declined

  /// The reply itself.
  public var reply: ActionReply { self }
}

/// The result of a closure that handles or declines: an ``ActionReply``, and no other type.
///
/// It is there for the compiler. A closure of several statements without a `return` has no result,
/// so it cannot be of a type that conforms, and `on(_:_:)` is not ambiguous.
public protocol ActionReplying {
  /// What the closure says about the action.
  var reply: ActionReply { get }
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

  /// A handler for responders of a type; others, to whom the value may have been provided, decline.
  init<Owner: Responder>(_ handle: @escaping (Owner, Action) -> ActionReply) {
    self.handle = { responder, action in
      (responder as? Owner).map { handle($0, action) } ?? .declined
    }
  }
}

extension Responding where Self: Responder {
  /// Handles actions of a type that are sent from here or below.
  public func on<Action>(_ action: Action.Type, _ handle: @escaping (Self, Action) -> Void) {
    install(
      ActionHandler<Action> { (me: Self, action) in
        handle(me, action)
        return .handled
      })
  }

  /// Handles or declines actions of a type that are sent from here or below.
  ///
  /// ```swift
  /// deck.on(Save.self) { deck, save in deck.isEditing ? .handled : .declined }
  /// ```
  @_disfavoredOverload
  public func on<Action>(
    _ action: Action.Type, _ handle: @escaping (Self, Action) -> ActionReply
  ) {
    install(ActionHandler(handle))
  }

  /// Handles or declines actions of a type, by a closure whose own statements tell the compiler the
  /// type of the reply.
  ///
  /// In a closure like `{ _, _ in .declined }` nothing does: then the overload with an
  /// ``ActionReply`` is taken. That one comes last for the compiler, because each closure without a
  /// `return` would fit it, too.
  public func on<Action, Reply: ActionReplying>(
    _ action: Action.Type, _ handle: @escaping (Self, Action) -> Reply
  ) {
    install(ActionHandler<Action> { (me: Self, action) in handle(me, action).reply })
  }

  private func install<Action>(_ handler: ActionHandler<Action>) {
    provide(handler, for: Handler<Action>.self)
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
      guard let slot = asked.locate(id)?.decider else { break }
      guard case .value(let cell) = slot.state, let responder = slot.responder(below: asked) else {
        return .unhandled(at: slot.responder(below: asked) ?? asked)
      }
      let handler = cell.value(as: ActionHandler<Action>.self)
      if handler.handle(responder, action) == .handled { return .handled(by: responder) }
      start = responder.nextResponder
    }
    return .unhandled(at: (ownCore ?? liveParent)?.top().core.responder ?? self)
  }
}

extension Slot {
  /// The responder that has the slot, as seen from a responder that found it.
  func responder(below asker: Responder) -> Responder? {
    owner == asker.place.own ? asker : owner.strong.responder
  }
}
