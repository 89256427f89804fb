import Lineage

/// The library's strategies, with their names in all tables.
enum Library {
  static let strategies = Strategy.allCases.map { (name: $0.rawValue, strategy: $0) }

  /// Returns a subject for each strategy.
  static func subjects(_ trial: @escaping @MainActor (Strategy) throws -> Trial) -> [Subject] {
    strategies.map { name, strategy in Subject(name: name) { try trial(strategy) } }
  }
}
