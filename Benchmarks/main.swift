import Lineage
final class Token: BranchingContext { let id: Int; let parent: Token?; init(_ id: Int, _ p: Token? = nil) { self.id = id; parent = p }
  func makeChild() -> Token { Token(id * 10, self) } }
nonisolated(unsafe) var sink: AnyObject?
for strategy in Strategy.allCases {
  let app = Application(strategy: strategy)
  var log: [String] = []
  let a = Controller(), b = Controller(), v = View()
  try app.append(a); try a.append(b); b.rootView = v
  let o = v.observe(Token.self) { me, r in log.append("\(me.label) \(r.value.map { "\($0.id)" } ?? "\(r)")") }
  app.provide(Token(1)); a.branch(Token.self); app.provide(Token(2)); b.block(Token.self); try b.withdraw(Token.self)
  let d = app.expect(Token.self); print(d.deliver(Token(3)), d.deliver(Token(4)), app.drain())
  a.removeFromParent(); try app.append(a)
  print(log); _ = o
  print(app.dump()); print(v.explain(Token.self)); print(app.mermaid())
  for depth in [1, 8, 64] {
    let app = Application(strategy: strategy); app.provide(Token(7))
    var p: Responder = app
    for _ in 0..<depth { let c = View(); try p.append(c); p = c }
    let clock = ContinuousClock(); var best = Duration.seconds(10)
    for _ in 0..<20 { let t = clock.measure { for _ in 0..<100_000 { sink = p.context(Token.self) } }; best = min(best, t) }
    print(strategy, depth, Double(best.components.attoseconds) / 1e9 / 1e5, "ns")
  }
}
