import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage

/// A command that moves small amounts between the weights of groups. Several processes run it at
/// once.
enum Moves {
  /// Makes up to `count` moves. Each move reads two weights, changes both, and saves them together.
  ///
  /// Some moves are made in the root context, the others in a child of it. In some moves, the
  /// policy decides a conflict by adding the changes of both sides. In the others, a conflict is an
  /// error, after which the move is made again.
  static func run(_ url: URL, seed: Int, count: Int) async throws {
    let store = try await SQLiteStore.open(
      at: url, StoreProbe.entities, options: StoreOptions(timeout: 60))
    let context = store.makeContext()
    let groups = try context.fetch(Group.self)
    var random = SplitMix64(seed: UInt64(seed))
    var conflicts = 0
    for number in 1...count {
      let from = groups[random.below(groups.count)]
      let to = groups[random.below(groups.count)]
      if from == to { continue }
      let amount = 1 + random.below(3)
      let (adds, isInChild) = (random.below(2) == 0, random.below(3) == 0)
      context.conflictPolicy = adds ? .resolve { .value(try sum($0)) } : .error
      while true {
        do {
          let place = isInChild ? context.makeChild() : context
          try place.object(with: from.id).weight = weight(from) - amount
          try place.object(with: to.id).weight = weight(to) + amount
          try place.saveAll()
          break
        } catch let error as GraphError {
          switch error.reason {
          case .conflict, .overtaken: break
          default: throw error
          }
          conflicts += 1
          context.discard()
          try context.merge()
        }
      }
      if number % 100 == 0 { StoreProbe.say("moved \(number)") }
    }
    StoreProbe.say("done after \(conflicts) conflicts")
  }

  private static func weight(_ group: Object<Group>) -> Int { group.weight ?? 0 }

  private struct Deleted: Error {}

  private static func sum(_ conflict: Conflict) throws -> Group {
    guard let base = conflict.base as? Group, let mine = conflict.mine as? Group,
      var theirs = conflict.theirs as? Group
    else { throw Deleted() }
    theirs.weight = (theirs.weight ?? 0) + (mine.weight ?? 0) - (base.weight ?? 0)
    return theirs
  }
}
