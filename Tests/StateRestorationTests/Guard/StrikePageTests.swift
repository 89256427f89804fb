import Foundation
import LineageTestSupport
import StateRestoration
import Testing

@Suite("The page of strikes")
struct StrikePageTests {
  @Test("A launch that ends in nothing leaves out nothing")
  func first() throws {
    let world = try StrikeWorld()
    for _ in 0..<8 {
      #expect(world.launch() == LaunchLimits())
      #expect(world.page.isOn && world.page.problem == nil)
      try world.kill()
    }
    #expect(world.mode == 0o600)
  }

  @Test("The page names the innermost record or phase, and the outer one again")
  func places() throws {
    let world = try StrikeWorld()
    world.launch(awaits: true)
    let page = world.page
    func place() -> StrikePlace? { (try? world.found)?.lastEnd }
    #expect(place() == .unconfirmed)
    let outer = page.enter(.test(1))
    #expect(place() == .test(1))
    let inner = page.enter(.test(2))
    #expect(place() == .test(2))
    page.during(.decoded) {
      #expect(place() == .decoded)
      let record = page.enter(.test(3))
      #expect(place() == .test(3))
      page.during(.asking) { #expect(place() == .asking) }
      #expect(place() == .test(3))
      page.leave(to: record)
      page.confirm()
      #expect(place() == .decoded)
    }
    #expect(place() == .test(2))
    page.leave(to: inner)
    #expect(place() == .test(1))
    page.leave(to: outer)
    #expect(place() == nil)
    #expect(try world.found?.isCertain == true)
  }

  @Test("An error of a phase ends it as well")
  func throwingPhase() throws {
    let world = try StrikeWorld()
    world.launch()
    #expect(throws: Mishap.self) { try world.page.during(.asking) { throw Mishap("no") } }
    #expect(try world.found?.lastEnd == nil)
  }

  @Test("A guard that is released names no place any more")
  func released() throws {
    let world = try StrikeWorld()
    var page: StrikePage? = StrikePage()
    page?.open(world.url)
    _ = page?.begin(version: "1", awaitsConfirmation: true)
    page?.enter(.test(1))
    #expect(try world.found?.lastEnd == .test(1))
    page = nil
    #expect(try world.found?.lastEnd == nil)
  }

  @Test("Two kills in a record leave it out, and one that is complete does not count any more")
  func records() throws {
    let world = try StrikeWorld()
    try world.end(in: 1)
    #expect(world.launch().leftOut == [])
    #expect(world.limits.lastEnd == .test(1))
    world.page.complete(.test(1))
    _ = world.page.enter(.test(2))
    try world.kill()
    try world.end(in: 1, 2)
    #expect(world.launch().leftOut == [.test(2)])
    #expect(world.page.book.strikes.map(\.count) == [1, 2])
  }

  @Test("Two kills in a phase leave it out, one while objects are prefetched")
  func phases() throws {
    for phase in [.asking, .prefetching, .decoded, .reported, .unconfirmed] as [StrikePlace] {
      let world = try StrikeWorld()
      for number in 1...2 {
        world.launch(awaits: phase == .unconfirmed)
        #expect(world.limits.extent == .all)
        #expect(world.limits.leftOut == (number == 2 && phase == .prefetching ? [phase] : []))
        try world.kill(in: phase)
      }
      world.launch()
      #expect(world.limits.leftOut == [phase])
      let isApplication = [.decoded, .reported, .unconfirmed].contains(phase)
      #expect(world.limits.extent == (isApplication ? .minimum : .all))
    }
  }

  @Test("A launch is good when all is restored and confirmed, and no record with a strike waits")
  func good() throws {
    let world = try StrikeWorld()
    try world.end(in: 1, 2)
    world.launch(awaits: true)
    world.page.noteRestored { $0 == .test(2) }
    world.page.confirm()
    #expect(world.page.book.row == 2)
    world.page.noteRestored { _ in false }
    #expect(world.page.book.row == 0 && world.page.book.strikes.isEmpty)
    try world.kill()

    try world.end(in: 1, 2)
    world.launch(awaits: true)
    world.page.noteRestored { $0 == .test(3) }
    #expect(world.page.book.row == 2)
    world.page.close()
    #expect(world.page.book.row == 0)
    // Quitting before all is restored neither counts nor resets.
    try world.end(in: 1)
    world.launch()
    world.page.close()
    world.launch()
    #expect(world.page.book.row == 1 && world.limits.lastEnd == nil)
  }

  @Test("Seven ends in a row bring back what the launch before has kept")
  func row() throws {
    let world = try StrikeWorld()
    var extents: [RestorationExtent] = []
    for number in 1...7 {
      try world.end(in: number)
      extents.append(world.limits.extent)
    }
    #expect(extents == [.all, .all, .all, .all, .all, .minimum, .nothing])
    #expect(world.launch().bringsBack && world.limits.extent == .all)
  }

  @Test("Another version and a retry try again what was left out")
  func again() throws {
    let world = try StrikeWorld()
    try world.end(in: 1, 1)
    #expect(world.launch().leftOut == [.test(1)])
    world.page.change { $0.retry(.test(1)) }
    try world.kill()
    #expect(world.launch().retried == [.test(1)] && world.limits.leftOut == [])
    _ = world.page.enter(.test(1))
    try world.kill()
    #expect(world.launch().leftOut == [.test(1)])
    world.page.change { $0.retryAll() }
    try world.kill()
    #expect(world.launch().retried == [] && world.limits.leftOut == [])
    try world.kill()
    try world.end(in: 1)
    #expect(world.launch("2").leftOut == [])
    _ = world.page.enter(.test(1))
    try world.kill()
    #expect(world.launch("2").leftOut == [.test(1)])
  }

  @Test("Observers count for the record for which the change was made")
  func observers() throws {
    let world = try StrikeWorld()
    world.launch()
    let origins = StrikeOrigins(world.page)
    origins.followRound()
    let outer = world.page.enter(.test(1))
    origins.didChange(7)
    world.page.leave(to: outer)
    origins.didChange(8)
    world.page.enter(.test(2))
    for (number, place) in [(7, 1), (8, 2), (9, 2)] {
      origins.willCall(number)
      #expect(try world.found?.lastEnd == .test(place))
      origins.didCall()
      #expect(try world.found?.lastEnd == .test(2))
    }
  }

  @Test("Random launches on a page leave out what the model leaves out")
  func random() throws {
    let seed = SplitMix64.seed(23)
    var random = SplitMix64(seed: seed)
    let world = try StrikeWorld()
    for number in 0..<150 {
      var model = StrikeModel()
      var version = 1
      try? FileManager.default.removeItem(at: world.url)
      for step in 0..<25 {
        let event = StrikeProgram.event(&random)
        if case .otherVersion = event {
          version += 1
          model.note(event)
        }
        world.launch("\(version)", awaits: true)
        let extent = StrikeProgram.extent(world.limits)
        guard extent == model.next, world.page.isOn else {
          Issue.record(
            "LINEAGE_SEED=\(seed), program \(number), step \(step): \(extent), not \(model.next)")
          return
        }
        try run(event, in: world, &model)
      }
    }
  }

  /// Runs the launch of an event, and changes the model by what the launch has done.
  private func run(
    _ event: StrikeModel.Event, in world: StrikeWorld, _ model: inout StrikeModel
  ) throws {
    let page = world.page
    func complete(_ places: Set<StrikeModel.Place>) {
      for place in places {
        switch place {
        case .record: page.complete(StrikeProgram.place(place))
        case .unconfirmed: page.confirm()
        default: page.during(StrikeProgram.place(place)) {}
        }
      }
    }
    switch event {
    case .end(let place, var completed):
      // What was confirmed cannot end before it is confirmed.
      if place == .unconfirmed { completed.remove(place) } else { completed.insert(.unconfirmed) }
      complete(completed)
      model.note(.end(place, after: completed))
      return try world.kill(in: StrikeProgram.place(place))
    case .good:
      page.noteRestored { _ in false }
      page.confirm()
      model.note(event)
    case .quit(let completed):
      complete(completed)
      page.close()
      // An application that terminates has confirmed its launch.
      model.note(.quit(after: completed.union([.unconfirmed])))
      return
    case .otherVersion: page.confirm()
    case .retry(let place):
      page.confirm()
      page.change { $0.retry(StrikeProgram.place(place)) }
      model.note(.quit(after: [.unconfirmed]))
      model.note(event)
    case .retryAll:
      page.confirm()
      page.change { $0.retryAll() }
      model.note(.quit(after: [.unconfirmed]))
      model.note(event)
    }
    if case .otherVersion = event { model.note(.quit(after: [.unconfirmed])) }
    try world.kill()
  }
}
