import Lineage
import Testing

@Suite("Tasks in a module that is on the main actor by default")
struct TaskTests {
  @Test("A body may use the tree and the module's own objects")
  func body() async throws {
    let application = Application()
    let screen = Controller()
    try application.append(screen)
    var lines: [String] = []
    screen.task { screen, progress in
      MainActor.assertIsolated()
      lines.append("begins")
      try progress.report(1)
      lines.append(await Task.detached { "goes on" }.value)
      screen.application?.terminate()
    }
    lines.append("asked")
    await application.run()
    #expect(lines == ["asked", "begins", "goes on"])
  }
}
