import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The bytes of values and slots that wait are the same in each later archive")
struct WaitingBytesTests {
  /// Returns an archive with two readers, which have branches, and some screens.
  private static func archive() throws -> StateArchive {
    let world = World()
    world.app.provide(Notebook("root"))
    world.app.launch(restoring: world.restoration, from: nil)
    let outer = try world.screen("screen")
    outer.branch(Notebook.self)
    for number in 1...2 {
      let reader = try world.reader(
        below: number == 1 ? outer : nil, page: 20 + number, mark: 10 + number)
      reader.branch(Notebook.self, number == 1 ? .keep : .follow)
      reader.draft = "draft \(number)"
      try reader.append(Screen(world.events, "screen"))
    }
    let archive = world.archive
    #expect(world.restoration.report.problems == [])
    return archive
  }

  /// Returns the bytes of each record that contains a reference to a page, in sorted order.
  private static func waiting(_ archive: StateArchive) -> [[UInt8]] {
    let name = Array("root#".utf8)
    return Forgery(archive.bytes).items.map(\.payload).filter { bytes in
      bytes.indices.contains { bytes[$0...].starts(with: name) }
    }
    .sorted { $0.lexicographicallyPrecedes($1) }
  }

  private static func readers(_ world: World) -> [Reader] {
    world.app.descendants.compactMap { $0 as? Reader }
  }

  /// The state in which the context stays during a launch.
  enum Fate: CaseIterable { case pending, failed, missing, blocked }

  @Test("Over three launches that are killed, with edits around them", arguments: Fate.allCases)
  func launches(fate: Fate) throws {
    let first = try Self.archive()
    let expected = Self.waiting(first)
    #expect(expected.count == 2)
    var archive = first
    for launch in 0..<3 {
      var delivery: Delivery<Notebook>?
      let world = try World.restored(archive) { world in
        switch fate {
        case .pending: delivery = world.app.expect(Notebook.self)
        case .failed: delivery = world.app.expect(Notebook.self)
        case .missing: break
        case .blocked: world.app.block(Notebook.self)
        }
      }
      if fate == .failed { delivery?.fail(Mishap("no disk")) }
      world.app.drain()
      #expect(world.restoration.report.count(.waiting) == 2)
      for reader in Self.readers(world) {
        #expect(reader.mark == nil)
        // Reading a waiting value changes nothing.
        if launch > 0 { #expect(reader.page == nil && reader.$page.isWaiting) }
        if launch == 2 { #expect(reader.draft.hasPrefix("draft")) }
      }
      var archives: [StateArchive] = [world.restoration.archive(of: world.app, asksAll: false)]
      // Other responders change, come and go around the readers that wait. The records of these
      // readers get other places.
      try world.screen("screen \(launch)").note = "new"
      archives.append(world.restoration.archive(of: world.app, asksAll: false))
      world.find("screen")?.note = "changed"
      world.find("screen")?.invalidateRestorableState()
      archives.append(world.restoration.archive(of: world.app, asksAll: false))
      archives.append(world.archive)
      if let reader = Self.readers(world).first { try reader.append(Screen(world.events, "more")) }
      archives.append(world.restoration.archive(of: world.app, asksAll: false))
      for (number, archive) in archives.enumerated() {
        #expect(Self.waiting(archive) == expected, "launch \(launch), archive \(number)")
      }
      #expect(world.restoration.report.problems == [])
      archive = launch == 1 ? world.archive : archives[archives.count - 1]
      withExtendedLifetime(delivery) {}
    }
    let world = try World.restored(archive) { $0.app.provide(Notebook("root")) }
    let readers = Self.readers(world)
    #expect(readers.map { $0.mark?.page } == [11, 12])
    #expect(readers.map { $0.page?.page } == [21, 22])
    #expect(readers.map(\.draft) == ["draft 1", "draft 2"])
    #expect(
      readers.map { $0.slotSummaries.map(\.kind) } == [[.branch(.keep)], [.branch(.follow)]])
  }

  @Test("An edit of one key changes the bytes of this key only")
  func edit() throws {
    var archive = try Self.archive()
    let expected = Self.waiting(archive)
    for launch in 0..<3 {
      let world = try World.restored(archive) { _ = $0.app.expect(Notebook.self) }
      for reader in Self.readers(world) { reader.draft = "other \(launch)" }
      archive =
        launch == 1 ? world.archive : world.restoration.archive(of: world.app, asksAll: false)
      let bytes = Self.waiting(archive)
      #expect(bytes != expected)
      let edited = expected.map { record in
        let number = record.firstRange(of: Array("draft ".utf8)).map { record[$0.upperBound] }
        #expect(number != nil)
        return record.replacing(
          Array("draft ".utf8) + [number ?? 0], with: Array("other \(launch)".utf8))
      }
      #expect(
        bytes.sorted { $0.lexicographicallyPrecedes($1) }
          == edited.sorted { $0.lexicographicallyPrecedes($1) })
    }
  }
}
