import Lineage

/// A tree of the library's responders, with one of its strategies.
final class ResponderTree: ObservedTree {
  private let application: Application
  private let kind: Memory.Kind
  private var delivery: Delivery<Token>?

  init(_ strategy: Strategy, kind: Memory.Kind = .view) {
    application = Application(strategy: strategy)
    self.kind = kind
  }

  var root: Responder { application }
  func makeNode() -> Responder { kind == .view ? ViewResponder() : Controller() }
  func append(_ child: Responder, to parent: Responder) throws { try parent.append(child) }
  func provide(_ token: Token, at node: Responder) { node.provide(token) }
  func find(from node: Responder) -> Token? { node.context(Token.self) }

  func provideOther(_ number: Int, at node: Responder) {
    func provide<K: ContextKey<Token>>(_ key: K.Type) { node.provide(OtherKeys.value, for: key) }
    provide(OtherKeys.key(number))
  }

  func remove(_ child: Responder) { child.removeFromParent() }
  func withdraw(at node: Responder) throws { try node.withdraw(Token.self) }

  func observe(_ node: Responder, for audience: Audience, _ number: Int) -> AnyObject? {
    node.observe(Token.self) { _, resolution in audience.hear(resolution.value, number) }
  }

  func expectAtRoot() { delivery = application.expect(Token.self) }

  func deliverAtRoot(_ token: Token) {
    delivery?.deliver(token)
    application.drain()
  }

  func wait(at node: Responder) async throws -> Token? {
    try await node.context(whenReady: Token.self)
  }
}
