/// A group of cases that can be named on the command line.
enum Suite: String, CaseIterable {
  case resolution, store

  /// Every case of the suite, of every effort, in the order in which they run.
  @MainActor func cases(seed: UInt64) -> [BenchmarkCase] {
    switch self {
    case .resolution: resolutionCases(seed: seed)
    case .store: storeCases(seed: seed)
    }
  }
}
