import Foundation
import Lineage

/// The `restore objects` case: each screen also keeps an object of a store. The store is opened
/// before or after the launch.
@MainActor struct ObjectCases {
  let responders: Int
  let seed: UInt64
  private let songs: SongFiles

  init(responders: Int, seed: UInt64) {
    self.responders = responders
    self.seed = seed
    songs = SongFiles(seed: seed)
  }

  /// The time at which the store is opened.
  enum Moment: String, CaseIterable {
    /// The store is opened before the launch.
    case ready
    /// The store is opened after the launch.
    case late
  }

  var all: [BenchmarkCase] {
    [0, 1].flatMap { branches in
      Moment.allCases.map { moment in
        switch (moment, branches) {
        case (.late, 0): makeCase(moment, branches: branches, .quick)
        case (.ready, 1): makeCase(moment, branches: branches, .quick).leftOutByDefault()
        default: makeCase(moment, branches: branches, .full)
        }
      }
    }
  }

  /// Makes a case. `branches` is the number of branches of each screen, 0 or 1.
  private func makeCase(_ moment: Moment, branches: Int, _ effort: Effort) -> BenchmarkCase {
    func subject<Screen: ObjectScreen>(
      _ name: String, _: Screen.Type, reads: Bool
    ) -> Subject {
      Subject(name: name) {
        let store = try await songs.store(responders)
        let archive = try archive(Screen.self, in: store, branches: branches)
        @MainActor func restore() -> ScreenTree<Screen> {
          restored(archive, in: store, isLate: moment == .late)
        }
        return Trial(
          answer: {
            let tree = restore()
            return ["states": tree.states.answer["sum"] ?? 0, "songs": tree.songSum]
          },
          sample: {
            Stopwatch.nanoseconds($0) { () -> ScreenTree<Screen> in
              let tree = restore()
              if reads { _ = tree.states.count }
              _ = tree.songSum
              return tree
            }
          })
      }
    }
    let limit = branches == 0 ? 1 : 1.5
    let names = ["methods", "properties"]
    return BenchmarkCase(
      suite: .restoration, name: "restore objects",
      parameters: [
        Parameter("responders", responders), Parameter("store", moment.rawValue),
        Parameter("branches", branches),
      ],
      unit: .milliseconds, effort: effort, baseline: "JSONDecoder",
      subjects: [
        jsonDecoder, subject(names[0], ObjectMethodScreen.self, reads: false),
        subject(names[1], ObjectPropertyScreen.self, reads: true),
      ],
      bars: names.map { .ratio(of: $0, to: "JSONDecoder", atMost: limit) })
  }

  /// The values of a screen, with the URI of its song.
  private struct ReferringState: Codable {
    let state: ScreenState
    let song: String
  }

  private var jsonDecoder: Subject {
    Subject(name: "JSONDecoder") {
      let context = try await songs.store(responders).makeContext()
      let states = try zip(ScreenState.states(responders, seed: seed), context.songs).map {
        try ReferringState(state: $0, song: context.uri(of: $1).absoluteString)
      }
      let bytes = try JSONEncoder().encode(states)
      return Trial(
        answer: {
          let states = try JSONDecoder().decode([ReferringState].self, from: bytes)
          let found = try states.map { one in
            try URL(string: one.song).flatMap { try context.object(at: $0) as? Object<Song> }
          }
          return ["states": states.map(\.state).answer["sum"] ?? 0, "songs": found.songSum]
        },
        sample: {
          try Stopwatch.nanoseconds($0) { () -> [ReferringState] in
            try JSONDecoder().decode([ReferringState].self, from: bytes)
          }
        })
    }
  }

  private func archive<Screen: ObjectScreen>(
    _: Screen.Type, in store: SQLiteStore, branches: Int
  ) throws -> StateArchive {
    let context = store.makeContext()
    let tree = try ScreenTree<Screen>(ScreenState.states(responders, seed: seed))
    tree.application.provide(context)
    for (screen, song) in zip(tree.screens, try context.songs) {
      if branches > 0 { screen.branch(ObjectContext.self) }
      screen.song = try screen.require(ObjectContext.self).find(song.id)
    }
    return tree.archive()
  }

  private func restored<Screen: ObjectScreen>(
    _ archive: StateArchive, in store: SQLiteStore, isLate: Bool
  ) -> ScreenTree<Screen> {
    guard isLate else { return ScreenTree(archive) { $0.provide(store.makeContext()) } }
    var delivery: Delivery<ObjectContext>?
    let tree = ScreenTree<Screen>(archive) { delivery = $0.expect(ObjectContext.self) }
    delivery?.deliver(store.makeContext())
    tree.application.drain()
    return tree
  }
}

extension ObjectContext {
  /// All songs, in the order of their numbers.
  fileprivate var songs: [Object<Song>] {
    get throws { try fetch(FetchRequest<Song>(sort: { $0.number })) }
  }
}

extension ScreenTree where Screen: ObjectScreen {
  /// A checksum of the songs that the screens show, and of their order.
  fileprivate var songSum: Int { all.map(\.song).songSum }
}

extension [Object<Song>?] {
  /// A checksum of the songs and of their order.
  fileprivate var songSum: Int { reduce(0) { $0 &* 31 &+ ($1?.number ?? -1) } }
}
