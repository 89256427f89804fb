import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

/// Tests of launches with damaged and forged archives.
///
/// If the environment has `LINEAGE_LAWS=full`, they try 200,000 damaged and 100,000 forged
/// archives.
@Suite("Damaged and forged archives", .hangGuard)
struct MutationTests {
  private static let isFull = ProcessInfo.processInfo.environment["LINEAGE_LAWS"] == "full"
  private static let count = isFull ? rounds(200_000) : rounds(4_000)

  /// Returns four archives of one tree, each after more changes.
  private static func archives() throws -> [StateArchive] {
    let (app, restoration) = try scriptedLaunch(nil)
    app.provide(Notebook("root"))
    var all: [Scripted] = []
    for number in 0..<6 {
      let made = Scripted(["a", "b", "same", "same", "", "c"][number], number: number)
      made.text = "text \(number)"
      try (number % 3 == 0 ? app : all[number - 1]).append(made)
      if number % 2 == 0 { made.branch(Notebook.self, .keep) }
      all.append(made)
    }
    var archives = [restoration.archive(of: app)]
    for number in 0..<3 {
      all[number].text = "changed \(number)"
      all[number + 3].number = 100 + number
      all[number + 3].invalidateRestorableState()
      if number == 1 { try all[5].move(to: all[0]) }
      archives.append(restoration.archive(of: app, asksAll: false))
    }
    return archives
  }

  /// Launches with an archive, and checks that both kinds of saves restore the same values again.
  /// Returns the values and the report of the first launch.
  private static func launch(_ archive: StateArchive) throws -> ([String], RestorationReport) {
    let (app, restoration) = try scriptedLaunch(archive) { $0.provide(Notebook("root")) }
    let states = app.scriptedStates
    let report = restoration.report
    #expect(app.invariantsHold)
    let changes = restoration.archive(of: app, asksAll: false)
    let (again, next) = try scriptedLaunch(changes) { $0.provide(Notebook("root")) }
    #expect(next.report.archive.fault == nil)
    #expect(again.scriptedStates == states)
    let full = restoration.archive(of: app)
    #expect(try scriptedLaunch(full).0.scriptedStates == states)
    return (states, report)
  }

  @Test("A value that no save has written comes with a line of the report")
  func damaged() throws {
    let archives = try Self.archives()
    let states = try archives.map { try Self.launch($0).0 }
    let values = Set(states.flatMap { $0 })
    var random = SplitMix64(seed: SplitMix64.seed(21))
    for round in 0..<Self.count {
      let bytes = random.pick(archives).bytes
      let mutant = StateArchive(bytes: Forgery.damage(bytes, &random))
      let (app, restoration) = try scriptedLaunch(mutant)
      let found = app.scriptedStates
      let report = restoration.report
      if round % 10 == 0, report.archive.fault == nil {
        for save in [restoration.archive(of: app, asksAll: false), restoration.archive(of: app)] {
          let again = try scriptedLaunch(save).0.scriptedStates
          guard again != found else { continue }
          Issue.record("round \(round): \(found), then \(again)\n\(report)\n\(mutant.bytes)")
          return
        }
      }
      if states.contains(found) { continue }
      let isSaid =
        report.archive.fault != nil || report.archive.damaged > 0 || report.count(.damaged) > 0
      if !isSaid || (found.count > 0 && !values.isSuperset(of: found)) {
        Issue.record("round \(round): \(found)\n\(report)\n\(mutant.bytes)")
        return
      }
    }
  }

  @Test("Forged items with valid checksums never crash, and what they give is saved again")
  func forged() throws {
    let archives = try Self.archives()
    var random = SplitMix64(seed: SplitMix64.seed(22))
    for round in 0..<Self.count / 2 {
      var forgery = Forgery(random.pick(archives).bytes)
      for _ in 0...random.below(3) { forgery.change(&random) }
      let (app, restoration) = try scriptedLaunch(StateArchive(bytes: forgery.bytes)) {
        $0.provide(Notebook("root"))
      }
      #expect(app.invariantsHold)
      let states = app.scriptedStates
      for save in [restoration.archive(of: app, asksAll: false), restoration.archive(of: app)] {
        let (again, next) = try scriptedLaunch(save) { $0.provide(Notebook("root")) }
        let isSame = again.scriptedStates == states && next.report.archive.fault == nil
        if !isSame {
          let lines = """
            round \(round): \(states), then \(again.scriptedStates)
            \(restoration.report)
            \(next.report)
            \(forgery.items.map { "\($0.parent) \($0.payload)" }.joined(separator: "\n"))
            """
          // A zero byte in a forged text would end the message.
          Issue.record("\(lines.replacing("\0", with: "\\0"))")
          return
        }
      }
    }
  }

  @Test(
    "The records below an application whose own record is damaged are saved again",
    arguments: [false, true])
  func damagedApplication(isFull: Bool) throws {
    let bytes = try Self.archives()[3].bytes
    var forgery = Forgery(bytes)
    forgery.items[0].payload = [
      4, 0, 0, 0, 0, 0, 0, 17, 4, 0, 0, 1, 0, 0, 0, 0, 0, 4, 0, 0, 1, 0, 0, 0, 0, 0,
    ]
    let archive = StateArchive(bytes: forgery.bytes)
    let (app, restoration) = try scriptedLaunch(archive) { $0.provide(Notebook("root")) }
    let states = app.scriptedStates
    #expect(states.count == 6, "\(restoration.report)")
    let save = isFull ? restoration.archive(of: app) : restoration.archive(of: app, asksAll: false)
    let (again, next) = try scriptedLaunch(save)
    #expect(next.report.archive.fault == nil)
    #expect(again.scriptedStates == states, "\(next.report)")
  }

  @Test("A damaged record that is kept for later takes no other record along")
  func damagedCarried() throws {
    let bytes = try Self.archives()[0].bytes
    let name = Array("scripted".utf8)
    for header in [false, true] {
      var forgery = Forgery(bytes)
      let index = try #require(
        forgery.items.indices.first {
          $0 > 0 && !forgery.items.contains(where: { [index = $0] item in item.parent == index })
        })
      let kind = try #require(
        forgery.items[index].payload.indices.first {
          forgery.items[index].payload[$0...].starts(with: name)
        })
      // The kind is unknown. The number of values, or the version after the kind, is damaged.
      forgery.items[index].payload[kind] = 0
      forgery.items[index].payload[header ? kind + name.count : 6] = 255
      let (app, restoration) = try scriptedLaunch(StateArchive(bytes: forgery.bytes)) {
        $0.provide(Notebook("root"))
      }
      let states = app.scriptedStates
      #expect(states.count >= 4, "\(restoration.report)")
      for save in [restoration.archive(of: app, asksAll: false), restoration.archive(of: app)] {
        let (again, next) = try scriptedLaunch(save) { $0.provide(Notebook("root")) }
        #expect(again.scriptedStates == states, "\(next.report)")
      }
    }
  }

  @Test("A record with any number as that of the record above ends in one place or in none")
  func places() throws {
    let bytes = try Self.archives()[0].bytes
    for index in 0..<7 {
      for parent in [0, 1, 2, 3, 4, 5, 6, 7, 8, 1 << 31, (1 << 32) - 1] {
        var forgery = Forgery(bytes)
        forgery.items[index].parent = parent
        let (app, restoration) = try scriptedLaunch(StateArchive(bytes: forgery.bytes))
        #expect(app.invariantsHold)
        #expect(app.scriptedStates.count <= 6)
        let archive = restoration.archive(of: app)
        #expect(try scriptedLaunch(archive).0.scriptedStates == app.scriptedStates)
      }
    }
  }
}
