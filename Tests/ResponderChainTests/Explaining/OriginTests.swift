import LineageTestSupport
import ResponderChain
import Testing

/// Tests of the origins of slots. The setting is one for the whole process, so each test that
/// changes it is a process of its own. The lines of a macro's closure are those of the macro, so
/// the steps are in functions.
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
    await #expect(processExitsWith: .success) { try Self.makeSlots() }
  }

  @Test("Those of an earlier time are not told, because they may be those of other slots")
  func periods() async {
    await #expect(processExitsWith: .success) { Self.switchOnAndOff() }
  }

  private static func origin(_ key: any ContextKey.Type, of responder: Responder) -> String? {
    responder.explain(key).hops[0].origin?.description
  }

  /// Checks that a slot was made in the line above the call.
  private static func checkAbove(
    _ key: any ContextKey.Type, of responder: Responder, line: Int = #line
  ) {
    #expect(origin(key, of: responder) == "ResponderChainTests/OriginTests.swift:\(line - 1)")
  }

  private static func makeSlots() throws {
    Responder.keepsOrigins = true
    let application = Application()
    let screen = Screen("screen")
    try application.append(screen)
    application.provide(Theme("dark"))
    checkAbove(Theme.self, of: application)
    application.provide(Theme("light"))
    checkAbove(Theme.self, of: application)
    application.provide(Notebook("a"), for: Archive.self)
    checkAbove(Archive.self, of: application)
    screen.branch(Archive.self)
    checkAbove(Archive.self, of: screen)
    screen.block(Theme.self)
    checkAbove(Theme.self, of: screen)
    application.load(Session.self) { Session("bob") }
    checkAbove(Session.self, of: application)
    screen.on(Int.self) { _, _ in }
    checkAbove(ActionHandler<Int>.self, of: screen)
    screen.on(Double.self) { _, _ in .declined }
    checkAbove(ActionHandler<Double>.self, of: screen)
    screen.offer("save", "save") { _ in }
    checkAbove(ActionHandler<String>.self, of: screen)
    screen.onFailure { _, _ in .handled }
    checkAbove(ActionHandler<Failure>.self, of: screen)
    let delivery = screen.expect(Session.self)
    checkAbove(Session.self, of: screen)
    // A delivery fills the slot, but does not make it.
    let expected = origin(Session.self, of: screen)
    delivery.deliver(Session("ann"))
    application.drain()
    #expect(screen.explain(Session.self).winner?.slot == .value)
    #expect(origin(Session.self, of: screen) == expected)
    // A withdrawn slot has none, and one beyond a block keeps its own.
    try screen.withdraw(Session.self)
    #expect(origin(Session.self, of: screen) == nil)
    #expect(screen.explain(Theme.self).beyond.first?.origin != nil)
  }

  private static func switchOnAndOff() {
    let application = Application()
    Responder.keepsOrigins = true
    Responder.keepsOrigins = true
    application.provide(Theme("dark"))
    checkAbove(Theme.self, of: application)
    Responder.keepsOrigins = false
    #expect(origin(Theme.self, of: application) == nil)
    application.provide(Theme("light"))
    Responder.keepsOrigins = true
    #expect(origin(Theme.self, of: application) == nil)
    application.provide(Theme("grey"))
    checkAbove(Theme.self, of: application)
  }
}
