import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The path of a responder is saved as it is at the time of the save")
struct PathTests {
  private final class Pointer: Controller {
    @Restorable("target") var target: Screen?
    @Restorable("all") var all: [Screen] = []
  }

  private final class Method: Controller, StateRestoring {
    var target: Screen?
    var calls = 0
    func encodeRestorableState(with coder: StateEncoder) throws {
      calls += 1
      try coder.encode(target, for: "target")
    }
    func decodeRestorableState(with coder: StateDecoder) throws {
      target = try coder.decode("target")
    }
  }

  private static func restoration() -> Restoration {
    Restoration {
      Kind("pointer", Pointer.init)
      Kind("method", Method.init)
      Kind("screen", { Screen(Events()) })
    }
  }

  private struct Desk {
    let app = Application()
    let restoration = PathTests.restoration()

    init(_ archive: StateArchive?) { app.launch(restoring: restoration, from: archive) }

    var pointer: Pointer? { app.children.compactMap { $0 as? Pointer }.first }
    var method: Method? { app.children.compactMap { $0 as? Method }.first }

    func save(_ isFull: Bool) -> StateArchive {
      isFull ? restoration.archive(of: app) : restoration.archive(of: app, asksAll: false)
    }
  }

  private static func archive() throws -> StateArchive {
    let desk = Desk(nil)
    let (pointer, method) = (Pointer(), Method())
    pointer.restorationIdentifier = "pointer"
    method.restorationIdentifier = "method"
    let target = Screen(Events(), "screen")
    target.note = "target"
    for child in [pointer, method, target] { try desk.app.append(child) }
    pointer.target = target
    pointer.all = [target]
    method.target = target
    return desk.restoration.archive(of: desk.app)
  }

  private enum Shift: CaseIterable { case renamed, moved, sibling }

  @Test(
    "A target that is renamed, moved, or gets a sibling before it is found again",
    arguments: [false, true], Shift.allCases)
  private func shifted(isFull: Bool, shift: Shift) throws {
    let desk = Desk(try Self.archive())
    let target = try #require(desk.pointer?.target)
    #expect(desk.method?.target === target)
    _ = desk.save(isFull)
    switch shift {
    case .renamed:
      target.restorationIdentifier = "other"
      target.restorationKind = "screen"
    case .moved:
      let parent = Screen(Events(), "screen")
      try desk.app.append(parent)
      try target.move(to: parent)
    case .sibling: try desk.app.insert(Screen(Events(), "screen"), at: 0)
    }
    let again = Desk(desk.save(isFull))
    #expect(again.pointer?.target?.note == "target")
    #expect(again.method?.target?.note == "target")
  }

  @Test("While no responder moves, records with paths stay as they are")
  func unchanged() throws {
    let desk = Desk(try Self.archive())
    _ = desk.pointer?.target
    let first = desk.save(false)
    #expect(desk.save(false) == first)
    try desk.app.append(Screen(Events(), "last"))
    // The restoration computes the paths again. They have not changed, so there is only a new
    // record.
    #expect(desk.save(false).count - first.count < 150)
  }
}
