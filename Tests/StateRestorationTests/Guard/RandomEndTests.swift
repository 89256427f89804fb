import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Random ends of whole launches")
struct RandomEndTests {
  private typealias Crash = GuardedWorld.Crash
  private typealias Place = StrikeModel.Place

  private static let names = ["a", "b", "c", "d"]
  /// The places that are complete after the report.
  private static let told: Set<Place> = [.asking, .decoded, .reported, .record([])]

  /// The launches of one program, and the model that follows them.
  private struct Program {
    let world: GuardedWorld
    var model = StrikeModel()
    var version = 1
    var archive: StateArchive
    /// Whether the last launch was good, for a count.
    var wasGood = false

    init() throws {
      world = try GuardedWorld()
      let launch = GuardedLaunch(world).run(nil)
      for name in names { try launch.add(name) }
      archive = launch.restoration.archive(of: launch.app)
    }
  }

  /// A call in which a launch ends, with its place and the places that are complete before it.
  private struct End {
    let crash: Crash
    let place: Place
    var completed: Set<Place>
    /// Whether the values of all screens are read before the end.
    var reads = false
  }

  /// Draws a call in which the next launch is to end. It may not be reached.
  private static func end(_ random: inout SplitMix64) -> End {
    func record(_ name: String) -> Place { .record(name == "app" ? [] : [name]) }
    // Most ends are in few places, so that some places have two strikes.
    let name = random.pick(random.chance(60) ? ["a", "b"] : names + ["app"])
    switch random.below(14) {
    case 0: return End(crash: Crash("ask"), place: .asking, completed: [])
    case 1: return End(crash: Crash("told"), place: .decoded, completed: [.asking])
    case 2: return End(crash: Crash("report"), place: .reported, completed: [.asking, .decoded])
    case 3:
      let reads = random.chance(50)
      let screens = reads ? names.map { Place.record([$0]) } : []
      return End(
        crash: Crash("later"), place: .unconfirmed, completed: told.union(screens), reads: reads)
    case 4, 5, 6:
      return End(
        crash: Crash("finish", name), place: record(name), completed: [.asking, .decoded])
    case 7 where name != "app":
      let before = names.prefix { $0 != name }.map { Place.record([$0]) }
      return End(
        crash: Crash("read", name), place: record(name), completed: told.union(before),
        reads: true)
    default:
      let call = name == "app" ? "decode" : random.pick(["make", "attach", "decode"])
      return End(crash: Crash(call, name), place: record(name), completed: [.asking])
    }
  }

  /// Reads the values of all screens that the launch has restored.
  private static func read(_ launch: GuardedLaunch) {
    for name in names {
      guard let screen = launch.find(name) else { continue }
      _ = (screen.lazy, screen.number)
    }
  }

  /// Returns a sentence if a launch has restored anything else than the model says.
  private static func difference(_ launch: GuardedLaunch, _ next: StrikeModel.Extent) -> String? {
    let outcomes = launch.outcomes
    func isRestored(_ name: String) -> Bool { outcomes[name] == .restored }
    switch next {
    case .all(let out):
      for name in names + [""] {
        let isOut = out.contains(.record(name.isEmpty ? [] : [name]))
        if outcomes[name] != (isOut ? .leftOut : .restored) { return "\(name) is wrong" }
      }
      let asks = launch.world.calls.contains(Crash("ask"))
      if asks == out.contains(.asking) { return "ask is wrong" }
    case .application:
      if names.contains(where: isRestored) { return "a screen is restored" }
      if ![.restored, .leftOut].contains(outcomes[""]) { return "the application is missing" }
    case .nothing:
      if (names + [""]).contains(where: isRestored) { return "something is restored" }
    }
    return nil
  }

  /// Runs a launch with an event, and changes the model by what has happened.
  private static func step(_ program: inout Program, _ random: inout SplitMix64) throws -> String? {
    let world = program.world
    if random.chance(3) {
      program.version += 1
      program.model.note(.otherVersion)
    }
    let end = random.chance(88) ? Self.end(&random) : nil
    let reads = end?.reads ?? random.chance(60)
    world.bugs = end.map { [$0.crash] } ?? []
    let launch = GuardedLaunch(world, version: "\(program.version)")
    launch.restoration.awaitsConfirmation = true
    launch.restoration.limits.carriedLaunches = 1_000
    launch.run(program.archive)
    let next = program.model.next
    if let difference = difference(launch, next) { return "\(difference): \(next)" }
    if reads { read(launch) }
    world.call("later")
    if let end, world.crash != nil {
      program.model.note(.end(end.place, after: end.completed))
      try world.end()
      return nil
    }
    launch.restoration.confirmRestoration()
    // A screen with a strike waits until its values are read.
    var waits = false
    if case .all(let out) = next, !reads {
      waits = names.contains { name in
        program.model.strikes[.record([name])] != nil && !out.contains(.record([name]))
      }
    }
    program.model.note(
      waits
        ? .quit(after: told.union([.unconfirmed])) : .good)
    program.wasGood = !waits
    if random.chance(30) { program.archive = launch.restoration.archive(of: launch.app) }
    if random.chance(10) {
      launch.restoration.retryAll()
      program.model.note(.retryAll)
    } else if random.chance(15) {
      let name = random.pick(names)
      launch.restoration.retry([name])
      program.model.note(.retry(.record([name])))
    }
    return nil
  }

  @Test("Each launch restores what the model says")
  func random() throws {
    let seed = SplitMix64.seed(59)
    var random = SplitMix64(seed: seed)
    var counts = [0, 0, 0, 0]
    for number in 0..<80 {
      var program = try Program()
      for step in 0..<40 {
        switch program.model.next {
        case .all(let out): counts[out.isEmpty ? 0 : 1] += 1
        case .application: counts[2] += 1
        case .nothing: counts[3] += 1
        }
        if let difference = try Self.step(&program, &random) {
          Issue.record("LINEAGE_SEED=\(seed), program \(number), launch \(step): \(difference)")
          return
        }
      }
    }
    #expect(counts.allSatisfy { $0 > 40 }, "\(counts)")
  }
}
