/// The reply of a handler to an action.
public enum ActionReply: ActionReplying, Sendable {
  /// The action is handled, and goes no further.
  case handled
  /// The action goes on to the next handler up the tree.
  case declined
  /// The action is not handled, and goes no further.
  case stopped

  /// This reply, as ``ActionReplying`` requires it.
  public var reply: ActionReply { self }
}

/// The result of a closure that handles or declines an action. Only ``ActionReply`` conforms to it.
///
/// The protocol exists for the compiler. A closure of several statements without a `return` returns
/// `Void`, which does not conform, so `on(_:_:)` is not ambiguous.
public protocol ActionReplying {
  /// The closure's reply to the action.
  var reply: ActionReply { get }
}

/// The result of sending an action up the tree.
public enum ActionOutcome {
  /// The responder handled the action.
  case handled(by: Responder)
  /// The responder stopped the action, so that no responder above it was asked.
  case stopped(by: Responder)
  /// No responder handled the action. `at` is the last responder on the way up the tree.
  case unhandled(at: Responder)

  /// Whether a responder handled the action.
  public var isHandled: Bool {
    if case .handled = self { true } else { false }
  }
}

/// The handler that one responder has for one type of actions. Handlers are looked up and blocked
/// like other contexts, for example by `context(ActionHandler<Save>.self)`.
public struct ActionHandler<Action>: Context {
  /// The actions that the responder offers by name.
  private var offered: [AnyHashable: OfferedAction] = [:]
  /// The offers, in the order in which they were made.
  private(set) var offers: [OfferedAction] = []
  /// Whether all other actions end here, because the responder has blocked them before its offers.
  var isWall = false
  /// The handler of the actions that are not offered; nil if they are declined.
  var rest: ((Responder, Action) -> ActionReply)?

  init(isWall: Bool = false) { self.isWall = isWall }

  /// Adds an offer, which replaces that of an equal action.
  mutating func add(_ offer: OfferedAction) {
    if let former = offered.updateValue(offer, forKey: offer.action) {
      offers.removeAll { $0 === former }
    }
    offers.append(offer)
  }

  /// Handles an action, stops it, or declines it.
  func reply(to action: Action, at responder: Responder) -> ActionReply {
    if !offered.isEmpty, let key = action as? AnyHashable, let offer = offered[key] {
      guard offer.isEnabled(responder) else { return .stopped }
      offer.handle(responder)
      return .handled
    }
    let reply = rest?(responder, action) ?? .declined
    if isWall, case .declined = reply { return .stopped }
    return reply
  }
}

extension Responding where Self: Responder {
  /// Sets this responder's handler for one type of actions. It handles each such action that is
  /// sent by this responder or by a responder below, except those that the responder offers by name.
  ///
  /// - Complexity: That of ``Responder/provide(_:for:file:line:)``.
  public func on<Action>(
    _ action: Action.Type, _ handle: @escaping (Self, Action) -> Void,
    file: StaticString = #fileID, line: Int = #line
  ) {
    install(action, file, line) { me, action in
      handle(me, action)
      return .handled
    }
  }

  /// Sets this responder's handler for one type of actions. It handles or declines each such action
  /// that is sent by this responder or by a responder below.
  ///
  /// ```swift
  /// deck.on(Save.self) { deck, save in deck.isEditing ? .handled : .declined }
  /// ```
  ///
  /// - Complexity: That of ``Responder/provide(_:for:file:line:)``.
  @_disfavoredOverload
  public func on<Action>(
    _ action: Action.Type, _ handle: @escaping (Self, Action) -> ActionReply,
    file: StaticString = #fileID, line: Int = #line
  ) {
    install(action, file, line, handle)
  }

  /// Sets this responder's handler for one type of actions. This overload is for closures from
  /// which the compiler can infer the type of the reply.
  ///
  /// The compiler cannot infer the type from a closure like `{ _, _ in .declined }`, so it takes
  /// the overload with an ``ActionReply``. That overload is disfavoured, because otherwise closures
  /// without a `return` would be ambiguous.
  ///
  /// Rejected: only two overloads. The compiler then asks for a `return`, or drops the reply of a
  /// closure of one line, depending on which overload is disfavoured. A result of any type is
  /// rejected too, because its type would be checked only at run time.
  ///
  /// - Complexity: That of ``Responder/provide(_:for:file:line:)``.
  public func on<Action, Reply: ActionReplying>(
    _ action: Action.Type, _ handle: @escaping (Self, Action) -> Reply,
    file: StaticString = #fileID, line: Int = #line
  ) {
    install(action, file, line) { me, action in handle(me, action).reply }
  }

  private func install<Action>(
    _ action: Action.Type, _ file: StaticString, _ line: Int,
    _ handle: @escaping (Self, Action) -> ActionReply
  ) {
    var handler = ownValue(ActionHandler<Action>.self) ?? ActionHandler()
    handler.rest = { responder, action in
      (responder as? Self).map { handle($0, action) } ?? .declined
    }
    provide(handler, file: file, line: line)
  }
}

extension Responder {
  /// Removes this responder's handler for one type of actions, its offers of this type, and a block
  /// before them.
  ///
  /// - Complexity: That of ``Responder/provide(_:for:file:line:)``.
  public final func off<Action>(_ action: Action.Type) {
    withdrawSlot(Erased<ActionHandler<Action>>.self)
  }

  /// Sends an action up the tree to the nearest handler that does not decline it. A handler that stops
  /// the action ends its way.
  ///
  /// - Complexity: A lookup for each handler that is asked, and O(*depth*) if none handles the
  ///   action.
  @discardableResult
  public final func send<Action>(_ action: Action) -> ActionOutcome {
    let id = KeyID(ActionHandler<Action>.self)
    var start: Responder? = self
    while let asked = start {
      guard let slot = asked.locate(id)?.decider else { break }
      guard case .value(let cell) = slot.state, let responder = slot.responder(below: asked) else {
        return .unhandled(at: slot.responder(below: asked) ?? asked)
      }
      switch cell.value(as: ActionHandler<Action>.self).reply(to: action, at: responder) {
      case .handled: return .handled(by: responder)
      case .stopped: return .stopped(by: responder)
      case .declined: break
      }
      start = responder.nextResponder
    }
    return .unhandled(at: (ownCore ?? liveParent)?.top().core.responder ?? self)
  }
}
