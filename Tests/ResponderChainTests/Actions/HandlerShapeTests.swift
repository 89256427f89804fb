import LineageTestSupport
import ResponderChain
import Testing

/// Tests that closures of many shapes are accepted as handlers without type annotations.
@Suite("Shapes of handlers")
struct HandlerShapeTests {
  struct Save { var number = 1 }

  final class Desk: Controller {
    var count = 0
    var numbers: Set<Int> = []
    var isOpen = false
    var next: Desk?

    func note() { count += 1 }
    func ask() -> ActionReply {
      count += 1
      return .declined
    }
    @discardableResult func noted() -> Int {
      count += 1
      return count
    }
    func fail() throws { throw Mishap("no") }
  }

  private let desk = Desk()

  private func expect(handles: Bool, count: Int = 1, _ line: Int = #line) {
    desk.count = 0
    #expect(desk.send(Save()).isHandled == handles, "line \(line)")
    #expect(desk.count == count, "line \(line)")
  }

  @Test("Without a reply they handle")
  func handling() {
    desk.on(Save.self) { _, _ in }
    expect(handles: true, count: 0)
    desk.on(Save.self) { desk, _ in desk.note() }
    expect(handles: true)
    desk.on(Save.self) { desk, _ in desk.count += 1 }
    expect(handles: true)
    desk.on(Save.self) { desk, _ in desk.noted() }
    expect(handles: true)
    desk.on(Save.self) { desk, save in desk.numbers.insert(save.number) }
    expect(handles: true, count: 0)
    desk.on(Save.self) { desk, _ in desk.next?.note() }
    expect(handles: true, count: 0)
    desk.on(Save.self) { desk, _ in return desk.note() }
    expect(handles: true)
    desk.on(Save.self) { desk, _ in desk.send(1) }
    expect(handles: true, count: 0)
  }

  @Test("Without a reply they handle, also in several statements")
  func handlingInSteps() {
    desk.on(Save.self) { desk, save in
      desk.note()
      desk.numbers.insert(save.number)
    }
    expect(handles: true)
    desk.on(Save.self) { desk, save in
      let number = save.number
      desk.count += number
      desk.note()
    }
    expect(handles: true, count: 2)
    desk.on(Save.self) { desk, save in
      guard save.number > 1 else { return }
      desk.note()
    }
    expect(handles: true, count: 0)
    desk.on(Save.self) { desk, save in
      if save.number > 0 { desk.note() } else { desk.count = 3 }
    }
    expect(handles: true)
    desk.on(Save.self) { desk, save in
      if save.number > 0 { desk.note() }
    }
    expect(handles: true)
    desk.on(Save.self) { desk, _ in
      for _ in 0..<3 { desk.note() }
    }
    expect(handles: true, count: 3)
    desk.on(Save.self) { desk, save in
      switch save.number {
      case 1: desk.note()
      default: desk.count = 3
      }
    }
    expect(handles: true)
    desk.on(Save.self) { desk, _ in
      defer { desk.note() }
      desk.count = 1
    }
    expect(handles: true, count: 2)
    desk.on(Save.self) { desk, _ in
      do { try desk.fail() } catch { desk.note() }
    }
    expect(handles: true)
    desk.on(Save.self) { desk, _ in
      func twice() { desk.count += 2 }
      let reply: () -> ActionReply = { .declined }
      _ = reply()
      twice()
    }
    expect(handles: true, count: 2)
    desk.on(Save.self) { (desk: Desk, _: Save) in
      desk.note()
      desk.note()
    }
    expect(handles: true, count: 2)
  }

  @Test("Their reply declines, however it is made")
  func replying() {
    desk.on(Save.self) { _, _ in .declined }
    expect(handles: false, count: 0)
    desk.on(Save.self) { _, _ in ActionReply.declined }
    expect(handles: false, count: 0)
    desk.on(Save.self) { desk, _ in desk.isOpen ? .handled : .declined }
    expect(handles: false, count: 0)
    desk.on(Save.self) { desk, _ in desk.ask() }
    expect(handles: false)
    desk.on(Save.self) { desk, _ in desk.isOpen ? .handled : desk.ask() }
    expect(handles: false)
    desk.on(Save.self) { desk, _ in if desk.isOpen { .handled } else { .declined } }
    expect(handles: false, count: 0)
    desk.on(Save.self) { desk, save in
      switch save.number {
      case 1: desk.ask()
      default: .handled
      }
    }
    expect(handles: false)
    desk.on(Save.self) { _, _ in
      return .declined
    }
    expect(handles: false, count: 0)
  }

  @Test("Their reply declines, also in several statements")
  func replyingInSteps() {
    desk.on(Save.self) { desk, _ in
      desk.note()
      return .declined
    }
    expect(handles: false)
    desk.on(Save.self) { desk, save in
      guard save.number > 1 else { return .declined }
      desk.note()
      return .handled
    }
    expect(handles: false, count: 0)
    desk.on(Save.self) { desk, _ in
      let reply = desk.ask()
      return reply
    }
    expect(handles: false)
    desk.on(Save.self) { desk, save in
      if save.number > 1 { return .handled }
      return desk.ask()
    }
    expect(handles: false)
    desk.on(Save.self) { desk, _ in
      do {
        try desk.fail()
        return .handled
      } catch {
        return .declined
      }
    }
    expect(handles: false, count: 0)
    desk.on(Save.self) { (desk, _) -> ActionReply in
      desk.note()
      return .declined
    }
    expect(handles: false)
  }

  @Test("Functions and stored closures are handlers, too")
  func functions() {
    func note(_ desk: Desk, _: Save) { desk.note() }
    func decline(_ desk: Desk, _: Save) -> ActionReply { desk.ask() }
    desk.on(Save.self, note)
    expect(handles: true)
    desk.on(Save.self, decline)
    expect(handles: false)
    let stored: (Desk, Save) -> ActionReply = { _, _ in .declined }
    desk.on(Save.self, stored)
    expect(handles: false, count: 0)
  }
}
