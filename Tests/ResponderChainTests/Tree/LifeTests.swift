import LineageTestSupport
import ResponderChain
import Testing

@Suite("An application's life")
struct LifeTests {
  final class Diary: Application {
    var lines: [String] = []
    override func willFinishLaunching() { lines.append("willFinishLaunching \(phase)") }
    override func didFinishLaunching() { lines.append("didFinishLaunching \(phase)") }
    override func didEnterBackground() { lines.append("didEnterBackground \(phase)") }
    override func willEnterForeground() { lines.append("willEnterForeground \(phase)") }
    override func willTerminate() { lines.append("willTerminate \(phase)") }
  }

  @Test("The steps come in their order, methods before closures")
  func order() {
    let application = Diary()
    var events: [String] = []
    application.onLife = { events.append("\($1) after \(($0 as? Diary)?.lines.count ?? 0)") }
    application.launch { ($0 as? Diary)?.lines.append("restore") }
    application.enterBackground()
    application.enterForeground()
    application.terminate()
    #expect(
      application.lines == [
        "willFinishLaunching new", "restore", "didFinishLaunching active",
        "didEnterBackground background", "willEnterForeground background", "willTerminate active",
      ])
    #expect(
      events == [
        "willFinishLaunching after 1", "didFinishLaunching after 3", "didEnterBackground after 4",
        "willEnterForeground after 5", "willTerminate after 6",
      ])
  }

  @Test("Steps out of turn do nothing")
  func outOfTurn() {
    let application = Diary()
    application.enterBackground()
    application.enterForeground()
    #expect(application.lines.isEmpty)
    application.launch()
    application.launch()
    application.enterForeground()
    application.enterBackground()
    application.enterBackground()
    application.terminate()
    application.terminate()
    application.launch()
    #expect(
      application.lines == [
        "willFinishLaunching new", "didFinishLaunching active", "didEnterBackground background",
        "willTerminate background",
      ])
    #expect(application.phase == .terminated)
  }

  @Test("A failed restoration throws on and can be tried again")
  func restoration() throws {
    let application = Diary()
    #expect(throws: Mishap.self) { try application.launch { _ in throw Mishap("no archive") } }
    #expect(application.phase == .new)
    application.launch()
    #expect(application.phase == .active)
  }

  @Test("Who terminates while launching has terminated")
  func terminatedWhileLaunching() {
    let application = Application()
    var events: [Application.LifeEvent] = []
    application.onLife = { events.append($1) }
    application.launch { $0.terminate() }
    #expect(application.phase == .terminated)
    #expect(events == [.willFinishLaunching, .willTerminate])
  }

  @Test("Who terminates while coming to the foreground has terminated")
  func terminatedWhileEntering() {
    let application = Application()
    application.launch()
    application.enterBackground()
    application.onLife = { if $1 == .willEnterForeground { $0.terminate() } }
    application.enterForeground()
    #expect(application.phase == .terminated)
  }

  @Test("A launch within a launch does nothing")
  func launchedTwice() {
    let application = Application()
    var events: [Application.LifeEvent] = []
    application.onLife = { events.append($1) }
    application.launch { $0.launch() }
    #expect(events == [.willFinishLaunching, .didFinishLaunching])
  }

  @Test("A launch from any hook does nothing", arguments: Application.LifeEvent.allCases)
  func launchedFromHook(_ hook: Application.LifeEvent) {
    let application = Application()
    var events: [Application.LifeEvent] = []
    application.onLife = {
      events.append($1)
      if $1 == hook { $0.launch { _ in Issue.record("restored again") } }
    }
    application.launch()
    application.enterBackground()
    application.enterForeground()
    application.terminate()
    #expect(events == Application.LifeEvent.allCases)
    #expect(application.phase == .terminated)
  }

  @Test("A new application that terminates does not launch, and a hook may terminate again")
  func terminatedNew() {
    let application = Application()
    var events: [Application.LifeEvent] = []
    application.onLife = {
      events.append($1)
      $0.launch()
      $0.terminate()
    }
    application.terminate()
    #expect(events == [.willTerminate])
    #expect(application.phase == .terminated)
  }

  @Test("Who terminates before the restoration restores nothing")
  func terminatedBeforeRestoring() {
    let application = Application()
    application.onLife = { if $1 == .willFinishLaunching { $0.terminate() } }
    application.launch { _ in Issue.record("restored") }
    #expect(application.phase == .terminated)
  }

  @Test("A follower hears of each step between the method and the closure")
  func follower() {
    final class Follower: LifeFollower {
      func application(_ application: Application, didReach event: Application.LifeEvent) {
        (application as? Diary)?.lines.append("follower \(event)")
      }
    }
    let application = Diary()
    weak var kept: Follower?
    do {
      let follower = Follower()
      application.lifeFollower = follower
      kept = follower
    }
    application.onLife = { ($0 as? Diary)?.lines.append("closure \($1)") }
    application.launch()
    application.enterBackground()
    application.enterForeground()
    application.terminate()
    #expect(
      application.lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "willFinishLaunching new", "follower willFinishLaunching", "closure willFinishLaunching",
        "didFinishLaunching active", "follower didFinishLaunching", "closure didFinishLaunching",
        "didEnterBackground background", "follower didEnterBackground",
        "closure didEnterBackground", "willEnterForeground background",
        "follower willEnterForeground", "closure willEnterForeground", "willTerminate active",
        "follower willTerminate", "closure willTerminate",
      ])
    #expect(kept != nil)
    application.lifeFollower = nil
    #expect(kept == nil)
  }
}
