import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Many trees are restored side by side, and dropped anywhere", .hangGuard)
struct RestorationStressTests {
  /// An isolation with a tree of its own.
  private actor Desk {
    private let application = Application()
    private let restoration = Restoration { Kind("form", Form.init) }
    private var delivery: Delivery<Notebook>?

    /// Adds forms to the tree, and returns its archive.
    func fill(_ count: Int) throws -> StateArchive {
      for number in 0..<count {
        let form = Form()
        form.restorationIdentifier = "form"
        form.draft = "draft \(number)"
        form.days = [number]
        try application.append(form)
      }
      return restoration.archive(of: application)
    }

    /// Restores an archive, and returns the drafts.
    func restore(_ archive: StateArchive) -> [String] {
      application.launch(restoring: restoration, from: archive)
      return application.children.compactMap { ($0 as? Form)?.draft }
    }
  }

  /// An isolation whose tree waits for a notebook.
  private actor WaitingDesk {
    private let application = Application()
    private var restoration: Restoration? = Restoration { makeParts(Events()) }

    func restore(_ archive: StateArchive, keeps: Bool) -> (Delivery<Notebook>, Int) {
      let delivery = application.expect(Notebook.self)
      restoration.map { application.launch(restoring: $0, from: archive) }
      let count = restoration?.report.count(.waiting) ?? 0
      if !keeps { restoration = nil }
      return (delivery, count)
    }

    func pages() -> [Int] {
      application.drain()
      return application.children.compactMap { ($0 as? Reader)?.mark?.page }
    }
  }

  @Test("A thousand applications in a thousand actors")
  func manyApplications() async throws {
    let archive = try await Desk().fill(5)
    let drafts = (0..<5).map { "draft \($0)" }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<1000 {
        group.addTask {
          let desk = Desk()
          if number % 2 == 0 { return try await Desk().fill(5) == archive }
          return await desk.restore(archive) == drafts
        }
      }
      for try await isSame in group { #expect(isSame) }
    }
  }

  private static func waitingArchive() throws -> StateArchive {
    let world = World()
    world.app.provide(Notebook("root"))
    for page in 0..<20 { try world.reader(mark: page) }
    return world.archive
  }

  @Test("A tree that waits is dropped on another thread, before or after the delivery")
  func drops() async throws {
    let archive = try Self.waitingArchive()
    for number in 0..<50 {
      var desk: WaitingDesk? = WaitingDesk()
      let (delivery, count) = await desk!.restore(archive, keeps: number % 2 == 0)
      #expect(count == 20)
      let delivering = Task.detached { delivery.deliver(Notebook("root")) }
      if number % 3 == 0 { desk = nil }
      _ = await delivering.value
      if let desk { #expect(await desk.pages() == Array(0..<20)) }
      desk = nil
    }
  }
}
