import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Damaged bytes give no wrong value")
struct DamageTests {
  /// Restores an archive. Returns the values of each responder as a line, and the world.
  private static func state(_ archive: StateArchive) throws -> (lines: Set<String>, World) {
    let world = try World.restored(archive)
    let lines = world.app.descendants.map { responder -> String in
      if let form = responder as? Form {
        return "\(form.draft) \(form.selection ?? -1) \(form.days)"
      }
      let screen = responder as? Screen
      return "\(screen?.zoom ?? 0) \(screen?.note ?? "nil")"
    }
    return (Set(lines + [world.app.theme]), world)
  }

  /// Returns four archives of one tree, each after more changes.
  private static func archives() throws -> [StateArchive] {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    world.app.theme = "dark"
    for number in 0..<3 {
      let screen = try world.screen("screen")
      screen.note = "note \(number)"
      let form = Form()
      form.restorationIdentifier = "form"
      form.draft = "draft \(number)"
      form.days = [number, 7]
      try screen.append(form)
    }
    var archives = [world.restoration.archive(of: world.app)]
    for number in 0..<3 {
      for case let form as Form in world.app.descendants { form.selection = number }
      archives.append(world.restoration.archive(of: world.app, asksAll: false))
    }
    return archives
  }

  @Test("Cut at any byte, nothing of an archive is used")
  func cuts() throws {
    let archives = try Self.archives()
    let bytes = archives[3].bytes
    for end in 0..<bytes.count {
      let (lines, world) = try Self.state(StateArchive(bytes: bytes[..<end]))
      #expect(lines == ["light"], "cut at \(end)")
      #expect(world.restoration.report.archive.fault != nil)
    }
  }

  @Test("Flipped, repeated, moved and removed bytes give no value that was not there")
  func mutations() throws {
    let archives = try Self.archives()
    let bytes = archives[3].bytes
    let allowed = try archives.map { try Self.state($0).lines }
      .reduce(Set(["light", "1.0 nil", " -1 []"])) { $0.union($1) }
    let seed = SplitMix64.seed(11)
    var random = SplitMix64(seed: seed)
    for round in 0..<3_000 {
      let mutant = Forgery.damage(bytes, &random)
      let (lines, _) = try Self.state(StateArchive(bytes: mutant))
      #expect(lines.isSubset(of: allowed), "LINEAGE_SEED=\(seed), round \(round)")
    }
  }

  @Test("Foreign, empty and newer bytes are said to be so")
  func problems() throws {
    #expect(StateArchive(bytes: []).validate().fault == .empty)
    #expect(StateArchive(bytes: Array("LINEAGE\nsomething".utf8)).validate().fault == .foreign)
    let newer = Forgery.forge(try Self.archives()[0].bytes, format: 9)
    #expect(StateArchive(bytes: newer).validate().fault == .newerFormat(9))
    var limits = RestorationLimits()
    limits.archiveBytes = 100
    let problem = try Self.archives()[0].validate(limits: limits).fault
    guard case .tooLarge = problem else {
      Issue.record("\(String(describing: problem))")
      return
    }
  }
}
