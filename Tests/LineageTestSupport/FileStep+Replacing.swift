package import LineageFiles

extension FileStep {
  /// The steps of replacing a file, in their order.
  package static let replacing: [FileStep] = [
    .create, .inspect, .write, .sync, .rename, .syncFolder,
  ]
}
