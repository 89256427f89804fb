/// A key under which responders have handlers of one type of actions. Handlers are found and
/// blocked like any context.
public enum Handler<Action>: ContextKey {
  /// The handler of one responder.
  public typealias Value = ActionHandler<Action>
}

/// The reply of a handler to an action.
public enum ActionReply: ActionReplying, Sendable {
  /// The action is handled, and goes no further.
  case handled
  /// The action goes on to the next handler up the tree.
  case declined

  /// The reply itself.
  public var reply: ActionReply { self }
}

/// The result of a closure that handles or declines an action. ``ActionReply`` is the only type
/// that conforms.
///
/// The protocol exists for the compiler. A closure of several statements without a `return` returns
/// `Void`, which does not conform, so `on(_:_:)` is not ambiguous.
public protocol ActionReplying {
  /// The closure's reply to the action.
  var reply: ActionReply { get }
}

/// The end of an action's way up the tree.
public enum ActionOutcome {
  /// The responder handled the action.
  case handled(by: Responder)
  /// No responder handled the action. The responder is the last one on the way.
  case unhandled(at: Responder)

  /// Whether a responder handled the action.
  public var isHandled: Bool {
    if case .handled = self { true } else { false }
  }
}

/// One responder's handler of an action.
public struct ActionHandler<Action> {
  let handle: (Responder, Action) -> ActionReply

  /// Makes a handler for responders of one type. For a responder of another type the handler
  /// declines.
  init<Owner: Responder>(_ handle: @escaping (Owner, Action) -> ActionReply) {
    self.handle = { responder, action in
      (responder as? Owner).map { handle($0, action) } ?? .declined
    }
  }
}

extension Responding where Self: Responder {
  /// Adds a handler of actions of a type that this responder or one below it sends.
  ///
  /// - Complexity: That of ``Responder/provide(_:for:)``.
  public func on<Action>(_ action: Action.Type, _ handle: @escaping (Self, Action) -> Void) {
    install(
      ActionHandler<Action> { (me: Self, action) in
        handle(me, action)
        return .handled
      })
  }

  /// Adds a handler that handles or declines actions of a type that this responder or one below it
  /// sends.
  ///
  /// ```swift
  /// deck.on(Save.self) { deck, save in deck.isEditing ? .handled : .declined }
  /// ```
  ///
  /// - Complexity: That of ``Responder/provide(_:for:)``.
  @_disfavoredOverload
  public func on<Action>(
    _ action: Action.Type, _ handle: @escaping (Self, Action) -> ActionReply
  ) {
    install(ActionHandler(handle))
  }

  /// Adds a handler that handles or declines actions of a type. This overload is for closures whose
  /// statements tell the compiler the type of the reply.
  ///
  /// For a closure like `{ _, _ in .declined }`, which does not tell the type, the compiler takes
  /// the overload with an ``ActionReply``. That overload is disfavoured, because each closure
  /// without a `return` would fit it as well.
  ///
  /// Rejected: two overloads, because the compiler then asks for a `return`, or drops the reply of
  /// a closure of one line, depending on which overload is disfavoured. A result of any type is
  /// rejected too, because its type would be checked only at run time.
  ///
  /// - Complexity: That of ``Responder/provide(_:for:)``.
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
  /// Removes this responder's handler of actions of the type.
  ///
  /// - Complexity: That of ``Responder/provide(_:for:)``.
  public final func off<Action>(_ action: Action.Type) {
    withdrawSlot(Erased<Handler<Action>>.self)
  }

  /// Sends an action up the tree to the nearest handler that does not decline it.
  ///
  /// - Complexity: A lookup for each handler that is asked.
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
