import Foundation
import Lineage

/// Returns the cases of the restoration suite, in which the state of many screens is saved and
/// restored. The baselines encode and decode the same values as JSON, without a tree.
@MainActor func restorationCases(seed: UInt64) -> [BenchmarkCase] {
  [(RestorationCases.fewest, Effort.quick), (100_000, .full)].flatMap { responders, effort in
    RestorationCases(responders: responders, effort: effort, seed: seed).all
  } + [
    MemoryBeyondTree(responders: RestorationCases.fewest, seed: seed).benchmark.leftOutByDefault()
  ]
    + FolderCases(responders: RestorationCases.fewest, seed: seed).all
    + GuardCases(responders: RestorationCases.fewest, seed: seed).all.map { $0.leftOutByDefault() }
    + ObjectCases(responders: RestorationCases.fewest, seed: seed).all
    + [EditCases(branches: 100, edits: 10, seed: seed).benchmark]
}

@MainActor private struct RestorationCases {
  let responders: Int
  let effort: Effort
  let seed: UInt64

  /// The number of responders in the cases of each run. Only runs with full effort also measure
  /// more responders.
  nonisolated static let fewest = 10_000

  var all: [BenchmarkCase] {
    [save, saveChanged, restore, release.leftOutByDefault(), validate.leftOutByDefault()]
  }

  private var states: [ScreenState] { ScreenState.states(responders, seed: seed) }

  private func makeCase(
    _ name: String, baseline: String, _ subjects: [Subject], _ bars: [Bar]
  ) -> BenchmarkCase {
    BenchmarkCase(
      suite: .restoration, name: name, parameters: [Parameter("responders", responders)],
      unit: .milliseconds, effort: effort, baseline: baseline, subjects: subjects, bars: bars)
  }

  /// The limits of the growth: ten times as many responders may take at most twelve times as long.
  /// The array is empty for the smallest number of responders.
  private var linearity: [Bar] {
    guard responders > Self.fewest else { return [] }
    return ["methods", "properties"].map {
      .ratio(of: $0, to: Parameter("responders", Self.fewest), atMost: 12)
    }
  }

  private var save: BenchmarkCase {
    func subject<Screen: StateScreen>(_ name: String, _: Screen.Type) -> Subject {
      Subject(name: name) {
        let tree = try ScreenTree<Screen>(states)
        return Trial(
          answer: { ScreenTree<Screen>(tree.archive()).states.answer },
          sample: { Stopwatch.nanoseconds($0, before: tree.touch) { _ = tree.archive() } })
      }
    }
    return makeCase(
      "save", baseline: "JSONEncoder",
      [
        jsonEncoder, subject("methods", MethodScreen.self),
        subject("properties", PropertyScreen.self),
      ],
      [
        .ratio(of: "methods", to: "JSONEncoder", atMost: 0.18),
        .ratio(of: "properties", to: "JSONEncoder", atMost: 0.30),
      ] + linearity)
  }

  private var jsonEncoder: Subject {
    Subject(name: "JSONEncoder") {
      let states = states
      return Trial(
        answer: {
          try JSONDecoder().decode([ScreenState].self, from: JSONEncoder().encode(states)).answer
        },
        sample: { try Stopwatch.nanoseconds($0) { _ = try JSONEncoder().encode(states) } })
    }
  }

  private var saveChanged: BenchmarkCase {
    func subject<Screen: StateScreen>(
      _ name: String, _: Screen.Type, isAll: Bool = false
    ) -> Subject {
      Subject(name: name) {
        let tree = try ScreenTree<Screen>(states)
        _ = tree.restoration.archive(of: tree.application)
        var first = 0
        return Trial(
          answer: { ["screens": tree.states.count] },
          sample: { iterations in
            Stopwatch.nanoseconds(
              iterations,
              before: {
                first = (first + 1) % 100
                for number in stride(from: first, to: tree.screens.count, by: 100) {
                  tree.screens[number].change()
                }
              },
              {
                _ =
                  isAll
                  ? tree.archive() : tree.restoration.archive(of: tree.application, asksAll: false)
              })
          })
      }
    }
    return makeCase(
      "save changed", baseline: "methods, all",
      [
        subject("methods, all", MethodScreen.self, isAll: true),
        subject("methods", MethodScreen.self),
        subject("properties", PropertyScreen.self),
      ],
      [])
  }

  private var restore: BenchmarkCase {
    func subject<Screen: StateScreen>(
      _ name: String, _: Screen.Type, reads: Bool = true
    ) -> Subject {
      Subject(name: name) {
        let archive = try ScreenTree<Screen>(states).archive()
        return Trial(
          answer: { ScreenTree<Screen>(archive).states.answer },
          sample: {
            Stopwatch.nanoseconds($0) { () -> ScreenTree<Screen> in
              let tree = ScreenTree<Screen>(archive)
              if reads { _ = tree.states.count }
              return tree
            }
          })
      }
    }
    return makeCase(
      "restore", baseline: "JSONDecoder",
      [
        jsonDecoder, subject("methods", MethodScreen.self, reads: false),
        subject("properties", PropertyScreen.self),
        subject("properties, unread", PropertyScreen.self, reads: false),
      ],
      [
        .ratio(of: "methods", to: "JSONDecoder", atMost: 0.45),
        .ratio(of: "properties", to: "JSONDecoder", atMost: 0.60),
      ] + linearity)
  }

  /// The case of releasing a restored tree with all values that were read. No other case includes
  /// that time.
  private var release: BenchmarkCase {
    func subject<Source, Made>(
      _ name: String, prepare: @escaping @MainActor () throws -> Source,
      make: @escaping @MainActor (Source) throws -> Made, answer: @escaping (Made) -> Answer
    ) -> Subject {
      Subject(name: name) {
        let source = try prepare()
        return Trial(
          answer: { answer(try make(source)) },
          sample: { iterations in
            var made: Made?
            let total = try Stopwatch.nanoseconds(
              iterations, before: { made = try make(source) }, { made = nil })
            return withExtendedLifetime(made) { total }
          })
      }
    }
    func tree<Screen: StateScreen>(_ name: String, _: Screen.Type) -> Subject {
      subject(
        name, prepare: { try ScreenTree<Screen>(states).archive() },
        make: { archive in
          let tree = ScreenTree<Screen>(archive)
          // A property that was not read yet has nothing to release.
          _ = tree.states.count
          return tree
        }, answer: { $0.states.answer })
    }
    let decoded = subject(
      "JSONDecoder", prepare: { try JSONEncoder().encode(states) },
      make: { try JSONDecoder().decode([ScreenState].self, from: $0) }, answer: { $0.answer })
    return makeCase(
      "release", baseline: "JSONDecoder",
      [decoded, tree("methods", MethodScreen.self), tree("properties", PropertyScreen.self)], [])
  }

  private var jsonDecoder: Subject {
    Subject(name: "JSONDecoder") {
      let bytes = try JSONEncoder().encode(states)
      return Trial(
        answer: { try JSONDecoder().decode([ScreenState].self, from: bytes).answer },
        sample: {
          try Stopwatch.nanoseconds($0) { () -> [ScreenState] in
            try JSONDecoder().decode([ScreenState].self, from: bytes)
          }
        })
    }
  }

  private var validate: BenchmarkCase {
    let archived = Subject(name: "methods") {
      let archive = try ScreenTree<MethodScreen>(states).archive()
      return Trial(
        answer: { ScreenTree<MethodScreen>(archive).states.answer },
        sample: { Stopwatch.nanoseconds($0) { _ = archive.validate() } })
    }
    return makeCase(
      "validate", baseline: "JSONDecoder", [jsonDecoder, archived],
      [.ratio(of: "methods", to: "JSONDecoder", atMost: 1 / 30)])
  }
}
