import LineageTestSupport
import ResponderChain
import Testing

/// Tests of the origins of slots. The setting is one for the whole process, so that each test that
/// changes it is a process of its own.
@Suite("The origins of slots", .hangGuard)
struct OriginTests {
  @Test("By default, none is kept")
  func off() {
    let application = Application()
    application.provide(Theme("dark"))
    #expect(!Responder.keepsOrigins)
    #expect(application.explain(Theme.self).winner?.origin == nil)
  }

  @Test("Each call that makes a slot is named by file and line")
  func calls() async {
    await #expect(processExitsWith: .success) {
      Responder.keepsOrigins = true
      func origin(_ key: any ContextKey.Type, of responder: Responder) -> String {
        responder.explain(key).hops[0].origin?.description ?? "none"
      }
      func place(_ line: Int) -> String { "\(#fileID):\(line)" }
      let application = Application()
      let screen = Screen("screen")
      try application.append(screen)
      // The calls of one line each, so that the next line knows theirs.
      application.provide(Theme("dark"))
      #expect(origin(Theme.self, of: application) == place(#line - 1))
      application.provide(Theme("light"))
      #expect(origin(Theme.self, of: application) == place(#line - 1))
      application.provide(Notebook("a"), for: Archive.self)
      #expect(origin(Archive.self, of: application) == place(#line - 1))
      screen.branch(Archive.self)
      #expect(origin(Archive.self, of: screen) == place(#line - 1))
      screen.block(Theme.self)
      #expect(origin(Theme.self, of: screen) == place(#line - 1))
      let delivery = screen.expect(Session.self)
      #expect(origin(Session.self, of: screen) == place(#line - 1))
      delivery.deliver(Session("ann"))
      application.drain()
      #expect(screen.explain(Session.self).winner?.slot == .value)
      #expect(origin(Session.self, of: screen) == place(#line - 4))
      application.load(Session.self) { Session("bob") }
      #expect(origin(Session.self, of: application) == place(#line - 1))
      screen.on(Int.self) { _, _ in }
      #expect(origin(ActionHandler<Int>.self, of: screen) == place(#line - 1))
      screen.on(Double.self) { _, _ in .declined }
      #expect(origin(ActionHandler<Double>.self, of: screen) == place(#line - 1))
      screen.offer("save", "save") { _ in }
      #expect(origin(ActionHandler<String>.self, of: screen) == place(#line - 1))
      screen.onFailure { _, _ in .handled }
      #expect(origin(ActionHandler<Failure>.self, of: screen) == place(#line - 1))
      // A withdrawn slot has none, and a shadowed one keeps its own.
      try screen.withdraw(Session.self)
      #expect(origin(Session.self, of: screen) == "none")
      #expect(screen.explain(Theme.self).beyond.first?.origin != nil)
    }
  }

  @Test("Those of an earlier time are not told, because they may be those of other slots")
  func periods() async {
    await #expect(processExitsWith: .success) {
      let application = Application()
      func origin() -> SlotOrigin? { application.explain(Theme.self).winner?.origin }
      Responder.keepsOrigins = true
      Responder.keepsOrigins = true
      application.provide(Theme("dark"))
      #expect(origin() != nil)
      Responder.keepsOrigins = false
      #expect(origin() == nil)
      application.provide(Theme("light"))
      Responder.keepsOrigins = true
      #expect(origin() == nil)
      application.provide(Theme("grey"))
      #expect(origin() == .source(#fileID, #line - 1))
    }
  }
}
